"""The version, in one place a program can read without importing anything else."""

VERSION = "0.1.0"
