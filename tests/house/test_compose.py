"""The compose file says what the documentation promises. No engine is needed to check that."""

import re
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def compose() -> dict:
    return yaml.safe_load((ROOT / "docker-compose.yml").read_text(encoding="utf-8"))


def test_only_the_services_port_is_published_and_only_on_loopback(compose: dict) -> None:
    assert compose["services"]["rearview"]["ports"] == ["127.0.0.1:8100:8100"]
    assert "ports" not in compose["services"]["valkey"]


def test_the_journal_keeps_everything(compose: dict) -> None:
    command = " ".join(compose["services"]["valkey"]["command"])
    for option in ("--appendonly yes", "--appendfsync always", "--maxmemory-policy noeviction"):
        assert option in command


def test_each_service_has_a_health_check_and_a_named_volume(compose: dict) -> None:
    for service in compose["services"].values():
        assert service["healthcheck"]["test"]
        for mount in service["volumes"]:
            assert mount.split(":")[0] in compose["volumes"]


def test_the_service_waits_for_a_healthy_journal(compose: dict) -> None:
    assert compose["services"]["rearview"]["depends_on"]["valkey"]["condition"] == "service_healthy"


def test_secrets_come_from_a_file_and_never_stand_in_the_environment(compose: dict) -> None:
    assert compose["secrets"]["valkey_password"]["file"]
    for service in compose["services"].values():
        assert "valkey_password" in service["secrets"]
        for name, value in service.get("environment", {}).items():
            assert not re.search("PASSWORD|TOKEN|KEY", name) or str(value).startswith("/run/secrets/")


def test_every_setting_in_the_compose_file_exists(compose: dict) -> None:
    from rearview.settings import load_settings

    load_settings(environment=compose["services"]["rearview"]["environment"])


def test_the_image_runs_as_a_user_without_rights_and_leaves_the_compiler_behind() -> None:
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    last = text.split("FROM ")[-1]
    assert text.count("FROM ") == 2
    assert re.search(r"^USER rearview$", last, re.MULTILINE)
    assert "g++" not in last
    assert "HNSWLIB_NO_NATIVE=1" in text
