"""Weights of `engine.keep_model`. Written by bench/train_write_model.py; do not edit."""

KEEP_WEIGHTS: dict[str, float] = {
    "agent": -0.641, "agent+meta": -0.032, "am": 0.013, "am+passing": -0.062, "am+self": 0.013, "ask": -0.001,
    "bias": 0.786, "change": 0.311, "clock": 0.225, "clock+self": 0.082, "day": 0.764, "day+clock": 0.225,
    "day+future": -0.145, "day+occasion": 0.825, "day+past": 0.178, "deal": 0.827, "density:2": -0.838,
    "density:3": 0.586, "density:4": 1.038, "does": 1.055, "does+passing": -0.145, "does+past": -0.368,
    "future": 0.164, "generic": -1.994, "guess": 0.177, "habit": 0.083, "health": 0.531, "health+self": 0.418,
    "holding:0": -1.274, "holding:1": 0.500, "holding:2": 1.222, "holding:3": 0.338, "identity": 0.297,
    "irony": -0.367, "joke": -0.152, "keeps": 0.477, "kin": 0.537, "kin+possess": 0.383, "learn": 0.115,
    "learn+vague": -0.143, "like": 0.643, "like+self": 0.536, "like+vague": 0.164, "meta": -1.326,
    "meta+vague": -0.245, "milestone": -0.103, "nobody": -0.429, "number": -0.198, "number+own": 0.165,
    "occasion": 0.677, "own": -0.163, "own+generic": -0.126, "own+vague": 0.143, "passing": -1.349,
    "passing+day": 0.076, "passing+self": -0.709, "past": -0.084, "past+self": 0.184, "plan": 0.430,
    "plan+day": -0.146, "possess": 0.522, "question": -0.260, "remember": 0.427, "rest:chitchat": -1.138,
    "rest:question": -0.531, "rest:request": -0.539, "rule": 0.227, "rule+self": -0.326, "self": 1.172,
    "self+agent": -0.546, "self+meta": -1.246, "self+plan": 0.294, "self+vague": -0.251, "standing": 0.891,
    "standing+ask": -0.050, "todo": 1.213, "unsure": -0.083, "vague": -0.471,
}
ALONE_WEIGHTS: dict[str, float] = {
    "agent": -1.465, "agent+meta": -0.065, "am": 0.020, "am+passing": -0.077, "am+self": 0.020, "ask": 0.055,
    "bias": 0.708, "change": 0.465, "clock": 0.148, "clock+self": 0.044, "day": 0.668, "day+clock": 0.148,
    "day+future": -0.117, "day+occasion": 1.107, "day+past": 0.126, "deal": 1.142, "density:2": -0.593,
    "density:3": 0.627, "density:4": 0.673, "does": 1.332, "does+passing": -0.238, "does+past": -0.371,
    "future": 0.127, "generic": -2.312, "guess": -0.116, "habit": -0.181, "health": 0.686,
    "health+self": 0.536, "holding:0": -1.439, "holding:1": 0.349, "holding:2": 1.285, "holding:3": 0.512,
    "identity": 0.019, "irony": -1.038, "joke": -0.319, "keeps": 0.864, "kin": 0.689, "kin+possess": 0.385,
    "learn": -0.061, "learn+vague": -0.207, "like": 0.355, "like+self": 0.279, "like+vague": 0.393,
    "meta": -2.015, "meta+vague": -0.329, "milestone": -0.066, "nobody": -0.245, "number": 0.213,
    "number+own": 0.325, "occasion": 0.904, "own": 0.038, "own+generic": -0.266, "own+vague": 0.130,
    "passing": -1.471, "passing+day": -0.141, "passing+self": -0.737, "past": 0.033, "past+self": 0.250,
    "plan": 0.304, "plan+day": -0.559, "possess": 0.841, "question": -0.327, "remember": 0.879,
    "rest:chitchat": -1.619, "rest:question": -0.746, "rest:request": -0.859, "rule": 0.485,
    "rule+self": -0.606, "self": 0.784, "self+agent": -1.120, "self+meta": -1.478, "self+plan": 0.097,
    "self+vague": -0.589, "standing": 0.697, "standing+ask": -0.099, "todo": 1.706, "unsure": -0.323,
    "vague": -1.129,
}
VECTOR_WEIGHTS = (
    "pLzbp/izG7vuJSU9qbjAO/SgerixsBA18Llzres8trSbL0+4RLBatn+5k7rmtPk0fL3Yvzcw5bSiN0MjPLajuNA57LgGtKI6I7qn"
    "vhI2MbURtIA1CD5uOOk14LpyNOwvUjQfOBi7fCX/ufS+HDY+O7M1PDsKM9W8B7OAufU5Z7YHvNw57Ds3OlC1w7TRunY2rD7zLBsw"
    "bTg1poW5lbbKON21sbXsst27LruSO4S0l7IYNn6vzTa6PZI61LBdt7M47rYavYM1PTqatKK57CmWwPaqtK0zuXi5rjqVNByzfzde"
    "qAYvbDyGt/06T7xXPHg2hhpIMwopUbVYN3M0NjdluHW1kCiLre0+ryVQNP+5NLxAuQM5hDrOMcA247rctgUylbGQLL44GbkdNZ27"
    "VjUisu+pirMvOR24UjRuPGk49Ta2sxO1Mzh6uso6HDVbOX21RDV9Oh09JzYJOyc6FzxrOXe3mx+7vGu8czo+uPCgtTDzM/e22rqa"
    "qkK22SwlOjotqDbzOjg4lrWFOJk5JbvWvJK2aa8oPLc2zzRjNcKydTdjuHU6QavnO8k+7S8jtim6QbBzuzU3gjVYtuSxqrqUuX40"
    "c7gcMLayyar8uKg5jL6huO2yBziENXGsCDh2OcA2vLtlOT2xDTqitcs5LK+at3K6T682MY8x0jl0PRImJx0nOD2w9KmBt3c0oDk9"
    "Jv6xgTcWLlG19bRuO+cwGyxxPUih/bWpuom51rmfKOk8+7d/spMyQDYSOg00mLAiL/26JrwZODO7DyxFtoy+8rZCk+iwpDTcOKm6"
    "ZbrdvYOx9a4fvFYzCTR/MDk26iR7tYe3JjiyMEA6+jzGNzc8hy4IMte5eTlGtU0fvDSyuFIq3bWjtRq5H7JEu5w8xbowN7i3mDvv"
    "IZgwYjWfLbA4obcXuKw+fbYat5k6tLSAPtk5/bZXOVu3k6q6NeE6ojmxODS457v7uaI8fLh2v4QnFbgqMBW33biVPHc6VaTjuL62"
    "mDMTudkoarr1vn46sbbjsMc3"
)
NEUTRAL = (
    "BCtOmrypZ6u5LSCprxqUJbwsdyQQK2qaui1Cpz+sxifsLMeqjKlbrEYn6x4zqqMqDSuZK1Wp1icsKp+uD6t+qIkpr6t8LFEpwKvR"
    "qzQr9qk4p3ElEizMLHEqhSsbqvErXKxSpi2qQCuYJrgrgCU/rO+rI61orWcqMi3HouQkMSUmLW0qQSuaKmWqCKS/qRAs4iJnqJ8j"
    "ISb5KAmslScqqQGt5Km8qHUoGawWLKArEKz2LEqfhCy+KzKpuKograyq96pvKgUr1aSQLDiozBQqrTiqGCkALImrqCsFq/6peSoZ"
    "KfMpxaxbqduoVaouKtaqGCtuqS2rVaVCq0OoXinsKiEmRZzCKVonQRaHJ+0obS3MqVYZPpZupvSqvivjqiEqTiuSKXIsVqnjLD6q"
    "vyYEqFspAyjQKfaoJ6zeqmsppyohqxasGa3opg2tSKowKZMs1Kt+oOWooCfbq+soih2bLI+o3CiyLfEqHqazqE6rTqqgq5ep7anr"
    "JqEpoaRPo0YqFKyFrMapNiRoq00r2ypKKscb/6lLKCAnRSqYoXCtsilIqAkqyypErd+spCzqqwifuSMXLFyq2SGwKlKmfyllrbKp"
    "cyp6KtyqvKolKY6rPqhJrO2ssat8rJUYfSjUKgas8aWYq6YmEa0MLLWoNaqyKNmglyk9LKis+KlBrR2oTSqcLPgsaarIKNUlb5sj"
    "Lhks9StyKcCsb6dorA+n/KthJNwrvqxLqg6ogipLLjSq46hQKoQpJCVoKxUqX6jGpPkqC6iPpmKfnKmJKg2qFSzXJ8SOHyxMrLko"
    "xag3qHYnBiEkrqwpcCVVKG8klipHLeArUKuJqH8lfimJl6EYcqlbqfOrSqkxphSs3yhGKfSrAalHLF4pOB+qp/OrECtSqriklKp0"
    "Kxysj6wkJ3YsUakaKgeoraz8KBqlU6k6KEwqdK2uIn4sGKcpKZipQKpLKW8qrayloggrjSvuK08phY+/nGko2qwmLJ4qbKtAjrOo"
    "VKtcq0Ir2qlWrDEolC0mKeor"
)
CATEGORY_WEIGHTS: tuple[dict[str, float], ...] = (
{
    "agent": 0.087, "am": -0.497, "am+passing": 0.043, "am+self": -0.497, "ask": 0.497, "bias": -0.694,
    "change": -0.668, "clock": -0.042, "clock+self": 0.076, "day": -1.056, "day+clock": -0.042,
    "day+future": -0.274, "day+occasion": -0.464, "day+past": -0.255, "deal": -0.188, "density:2": -0.412,
    "density:3": -0.172, "density:4": -0.110, "does": -0.152, "does+passing": 0.054, "does+past": -0.529,
    "future": -0.208, "generic": -0.289, "guess": 0.028, "habit": 0.330, "health": -0.788,
    "health+self": -0.423, "holding:0": -0.065, "holding:1": -0.179, "holding:2": -0.357, "holding:3": -0.092,
    "identity": -1.759, "irony": -0.010, "keeps": -0.588, "kin": 0.097, "kin+possess": 0.359, "learn": -0.731,
    "learn+vague": -0.007, "like": 2.238, "like+self": 2.044, "like+vague": 0.116, "meta": -0.479,
    "milestone": -0.218, "nobody": -0.703, "number": -0.656, "number+own": -0.171, "occasion": -0.530,
    "own": -1.062, "own+generic": 0.011, "own+vague": 0.055, "passing": 0.007, "passing+day": -0.016,
    "passing+self": 0.126, "past": -0.986, "past+self": -0.778, "plan": -0.627, "plan+day": -0.066,
    "possess": -0.899, "remember": -0.430, "rest:chitchat": 0.666, "rest:question": -0.489,
    "rest:request": -0.073, "rule": -0.777, "rule+self": -0.007, "self": 0.306, "self+agent": -0.107,
    "self+meta": -0.479, "self+plan": -0.570, "self+vague": 0.140, "standing": 2.724, "standing+ask": 0.702,
    "todo": -0.637, "unsure": -0.019, "vague": 0.055,
},
{
    "agent": -0.097, "am": 0.512, "am+passing": 0.011, "am+self": 0.512, "ask": -0.361, "bias": 0.415,
    "change": 1.210, "clock": -0.095, "clock+self": 0.034, "day": -0.834, "day+clock": -0.095,
    "day+future": -0.015, "day+occasion": -1.199, "day+past": -2.103, "deal": -0.609, "density:2": 0.602,
    "density:3": -0.012, "density:4": -0.175, "does": 0.572, "does+passing": -0.091, "does+past": 0.410,
    "future": -0.413, "generic": 0.044, "guess": 0.008, "habit": 0.511, "health": 0.774, "health+self": 0.463,
    "holding:0": -0.446, "holding:1": 0.303, "holding:2": 0.504, "holding:3": 0.055, "identity": 1.072,
    "irony": 0.225, "keeps": 0.848, "kin": -0.387, "kin+possess": -0.416, "learn": 1.321, "learn+vague": 0.005,
    "like": -2.052, "like+self": -1.951, "like+vague": -0.126, "meta": 0.121, "milestone": -0.649,
    "nobody": 0.110, "number": 0.461, "number+own": 0.351, "occasion": -1.233, "own": 0.854,
    "own+generic": 0.008, "own+vague": -0.047, "passing": -0.340, "passing+day": -0.113,
    "passing+self": -0.124, "past": -0.345, "past+self": 0.964, "plan": 0.607, "plan+day": 0.238,
    "possess": 0.726, "remember": 0.405, "rest:chitchat": -0.432, "rest:question": 0.532,
    "rest:request": 0.054, "rule": 1.073, "rule+self": -0.477, "self": -0.011, "self+agent": 0.111,
    "self+meta": 0.121, "self+plan": 0.462, "self+vague": -0.092, "standing": -2.100, "standing+ask": -0.682,
    "todo": -2.396, "unsure": 0.047, "vague": 0.133,
},
{
    "agent": -0.038, "am": -0.215, "am+passing": -0.102, "am+self": -0.215, "ask": -0.130, "bias": -1.485,
    "change": -0.492, "clock": 0.127, "clock+self": -0.127, "day": 1.654, "day+clock": 0.127,
    "day+future": 0.042, "day+occasion": 1.374, "day+past": 1.701, "deal": 0.881, "density:2": -0.640,
    "density:3": -0.618, "density:4": -0.227, "does": -0.723, "does+passing": -0.011, "does+past": -0.095,
    "future": -0.031, "generic": -0.175, "guess": -0.032, "habit": -0.877, "health": -0.099,
    "health+self": -0.123, "holding:0": 0.145, "holding:1": -0.595, "holding:2": -0.929, "holding:3": -0.106,
    "identity": -0.279, "irony": -0.226, "keeps": -0.233, "kin": 0.494, "kin+possess": 0.142, "learn": -0.462,
    "learn+vague": -0.002, "like": -0.489, "like+self": -0.442, "like+vague": -0.007, "meta": 0.192,
    "milestone": 1.169, "nobody": -0.128, "number": -0.132, "number+own": -0.152, "occasion": 1.766,
    "own": -0.079, "own+generic": -0.007, "own+vague": -0.024, "passing": 0.219, "passing+day": 0.158,
    "passing+self": -0.091, "past": 1.190, "past+self": -0.053, "plan": -0.229, "plan+day": 0.162,
    "possess": -0.329, "remember": -0.371, "rest:chitchat": -0.199, "rest:question": -0.134,
    "rest:request": -0.005, "rule": -0.498, "rule+self": 0.038, "self": -1.306, "self+agent": -0.028,
    "self+meta": 0.192, "self+plan": -0.193, "self+vague": -0.090, "standing": -0.967, "standing+ask": -0.097,
    "todo": -1.526, "unsure": -0.020, "vague": -0.139,
},
{
    "agent": -0.022, "am": -0.151, "am+passing": -0.033, "am+self": -0.151, "ask": -0.181, "bias": -1.585,
    "change": -0.567, "clock": -0.055, "clock+self": 0.189, "day": 0.350, "day+clock": -0.055,
    "day+future": 0.144, "day+occasion": -0.492, "day+past": -0.577, "deal": -0.394, "density:2": -0.849,
    "density:3": -0.288, "density:4": -0.448, "does": -0.748, "does+passing": -0.005, "does+past": 0.091,
    "future": 0.583, "generic": 0.286, "guess": -0.014, "habit": -0.649, "health": -0.380,
    "health+self": -0.332, "holding:0": 0.268, "holding:1": -0.727, "holding:2": -0.843, "holding:3": -0.282,
    "identity": 0.068, "irony": -0.006, "keeps": -0.155, "kin": -0.085, "kin+possess": 0.049, "learn": -0.208,
    "learn+vague": -0.003, "like": -0.468, "like+self": -0.452, "like+vague": -0.014, "meta": 0.041,
    "milestone": -0.419, "nobody": -0.515, "number": 0.111, "number+own": -0.262, "occasion": -0.339,
    "own": -0.015, "own+generic": -0.021, "own+vague": -0.030, "passing": 0.202, "passing+day": -0.061,
    "passing+self": 0.080, "past": -0.332, "past+self": 0.134, "plan": 0.096, "plan+day": -0.317,
    "possess": -0.120, "remember": 0.488, "rest:chitchat": -0.260, "rest:question": -0.315,
    "rest:request": -0.014, "rule": -0.353, "rule+self": 0.245, "self": -0.967, "self+agent": -0.016,
    "self+meta": 0.041, "self+plan": 0.267, "self+vague": -0.075, "standing": -0.534, "standing+ask": -0.079,
    "todo": 3.781, "unsure": -0.006, "vague": -0.123,
},
)
