"""Weights of `engine.keep_model`. Written by bench/train_write_model.py; do not edit."""

KEEP_WEIGHTS: dict[str, float] = {
    "agent": -0.715, "agent+meta": -0.049, "am": 0.067, "am+passing": -0.375, "ask": 0.041, "bias": 0.798,
    "change": 0.514, "day": 0.706, "day+future": -0.037, "day+occasion": 0.899, "day+past": 0.045,
    "deal": 0.651, "density:2": -0.775, "density:3": 0.495, "density:4": 1.079, "does": 0.936,
    "does+past": -0.460, "future": 0.174, "generic": -1.434, "guess": 0.146, "habit": 0.071, "health": 0.500,
    "health+self": 0.412, "holding:0": -1.263, "holding:1": 0.596, "holding:2": 1.098, "holding:3": 0.368,
    "identity": 0.460, "irony": -0.413, "joke": -0.142, "keeps": 0.418, "kin": 0.446, "kin+possess": 0.298,
    "learn": -0.170, "learn+vague": -0.167, "like": 0.627, "like+self": 0.551, "like+vague": 0.103,
    "meta": -0.953, "meta+vague": -0.333, "milestone": -0.081, "nobody": -0.460, "number": -0.212,
    "number+own": 0.146, "occasion": 0.750, "own": 0.106, "own+vague": 0.039, "passing": -1.474,
    "passing+day": 0.146, "past": -0.168, "past+self": -0.067, "plan": 0.268, "plan+day": -0.137,
    "possess": 0.517, "remember": 0.250, "rest:chitchat": -1.159, "rest:question": -0.345,
    "rest:request": -0.341, "rule": 0.501, "rule+self": -0.142, "self": 1.206, "self+agent": -0.656,
    "self+meta": -1.007, "self+plan": 0.124, "self+vague": -0.229, "standing": 0.791, "standing+ask": -0.036,
    "todo": 0.995, "unsure": 0.143, "vague": -0.697,
}
ALONE_WEIGHTS: dict[str, float] = {
    "agent": -1.415, "agent+meta": -0.067, "am": 0.086, "am+passing": -0.502, "ask": 0.079, "bias": 0.692,
    "change": 0.668, "day": 0.665, "day+future": 0.021, "day+occasion": 1.124, "day+past": 0.136,
    "deal": 1.167, "density:2": -0.679, "density:3": 0.572, "density:4": 0.800, "does": 1.223,
    "does+past": -0.485, "future": 0.136, "generic": -1.665, "guess": -0.063, "habit": -0.142, "health": 0.580,
    "health+self": 0.460, "holding:0": -1.452, "holding:1": 0.422, "holding:2": 1.141, "holding:3": 0.582,
    "identity": 0.232, "irony": -1.037, "joke": -0.329, "keeps": 0.776, "kin": 0.584, "kin+possess": 0.269,
    "learn": -0.361, "learn+vague": -0.241, "like": 0.366, "like+self": 0.294, "like+vague": 0.267,
    "meta": -1.424, "meta+vague": -0.484, "milestone": -0.012, "nobody": -0.343, "number": 0.031,
    "number+own": 0.314, "occasion": 0.990, "own": 0.262, "own+vague": 0.035, "passing": -1.628,
    "passing+day": -0.024, "past": -0.048, "past+self": -0.041, "plan": 0.134, "plan+day": -0.590,
    "possess": 0.853, "remember": 0.534, "rest:chitchat": -1.534, "rest:question": -0.479,
    "rest:request": -0.491, "rule": 0.894, "rule+self": -0.187, "self": 0.851, "self+agent": -1.117,
    "self+meta": -1.101, "self+plan": -0.068, "self+vague": -0.478, "standing": 0.596, "standing+ask": -0.100,
    "todo": 1.509, "unsure": -0.053, "vague": -1.296,
}
VECTOR_WEIGHTS = (
    "XbvdqEWwE7rPkU07Lrj1OJGoiLHCMoA5XbWUpQ46KTLuJ3O35avtt26zw7cFr/g2K7sbvms2NLNoM7s3XLkluAI4dbaRutQ5ortC"
    "vLWuUacXuSEziT34NF6u6roONw2qdDT3NH+7kKrzrvS8hrMAOZI5FThvsZi83rXzsiI6v7Qbu4UxozqgOgm1Yy00vEM06zwqtBs5"
    "aChco2a7RS5JOfq1nrt+tPq6YbhPOdy05LXyNWawda+GO/Y5X6wusCQ5LLSqufQ2xTgSMau62C7Cv+qyhDG6tgG6rDpUrc2w2DUW"
    "NSOsqzkHuec8urqROhY1qzZ6M9axb7emONwfHDOctwmyjzUfudQ8FbGVNOm5wLpat2g0PTSJMAw2q7k+u8Uz9rX9KzA3P7PjNGu8"
    "7atltJa1yS9xOgu5eajXPBw2hTRrrN4tejqluq034TBqPA24NDS7OVE8QTM5PDs5aDxTObSrDDECuuW6ODtwuC22K7NON0i2+bqM"
    "KrW7OzdRO8szEzOHOf41k7VRNzM1AbYrvLaq4K7jPBA40jYZtRi1czmHuOY75rKsPNI+2y+AuKi4yzFHuo04izUCtJi0W7vCvLos"
    "HbvjKCC08bcfuAU8x7z6sm0wpjY5NMS0mTeCPH86S7k7OI62Azzst4467bR8u468jy1INTg2gzayPF01STH5N4Ynuq5Os+I1Rjm/"
    "sMSwajA1LYm5i7XhNWM5A7WnOjguHbVQti6wtru8sWU5qLhjLRg08jY6OOAwOrLkN/G6AbUWOi+4fKkluTq9AzJDOVOpvzO6MhS7"
    "A7yGvl2x1bZtuBarva00LZIwEzCduCextzhQMpg4nDwZOM05pTe4NJq4rDitszQ1XqsMu2Kz87S9tiK7F6rlvJQ6yLk9Ope7kjnJ"
    "NOwzha2cNCM18rWbuas5wra9tqM36bDwPPs5Cq+8N0y4kjQzMhg4sTpdNdW3L7diucA4wbWJvSg4nbnnF7q52rhiPuQ4gTWnLeG0"
    "nDafuZEwzbZ3vYQ8AqhPsZw1"
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
    "agent": 0.033, "am": -0.623, "am+passing": 0.063, "ask": 0.453, "bias": -0.829, "change": -0.485,
    "day": -0.891, "day+future": -0.284, "day+occasion": -0.424, "day+past": -0.228, "deal": -0.265,
    "density:2": -0.581, "density:3": -0.150, "density:4": -0.098, "does": 0.008, "does+past": -0.565,
    "future": -0.416, "generic": 0.017, "guess": 0.013, "habit": 0.184, "health": -0.804,
    "health+self": -0.470, "holding:0": -0.335, "holding:1": -0.075, "holding:2": -0.204, "holding:3": -0.216,
    "identity": -1.587, "irony": -0.011, "keeps": -0.637, "kin": 0.158, "kin+possess": 0.427, "learn": -0.477,
    "learn+vague": -0.011, "like": 2.236, "like+self": 2.053, "like+vague": 0.104, "meta": -0.626,
    "milestone": -0.227, "nobody": -0.600, "number": -0.652, "number+own": -0.124, "occasion": -0.498,
    "own": -1.024, "own+vague": 0.032, "passing": 0.083, "passing+day": -0.019, "past": -0.853,
    "past+self": -0.669, "plan": -0.420, "plan+day": -0.066, "possess": -0.721, "remember": -0.367,
    "rest:chitchat": 0.604, "rest:question": -0.507, "rest:request": -0.033, "rule": -0.919,
    "rule+self": 0.147, "self": 0.071, "self+agent": -0.125, "self+meta": -0.601, "self+plan": -0.356,
    "self+vague": 0.167, "standing": 2.821, "standing+ask": 0.677, "todo": -0.393, "unsure": -0.030,
    "vague": 0.167,
},
{
    "agent": -0.045, "am": 0.756, "am+passing": 0.013, "ask": -0.328, "bias": 0.519, "change": 1.185,
    "day": -0.816, "day+future": -0.093, "day+occasion": -1.191, "day+past": -2.082, "deal": -0.541,
    "density:2": 0.739, "density:3": 0.003, "density:4": -0.223, "does": 0.512, "does+past": 0.461,
    "future": -0.290, "generic": -0.030, "guess": 0.046, "habit": 0.595, "health": 0.818, "health+self": 0.541,
    "holding:0": -0.311, "holding:1": 0.227, "holding:2": 0.479, "holding:3": 0.124, "identity": 0.963,
    "irony": 0.274, "keeps": 0.888, "kin": -0.464, "kin+possess": -0.456, "learn": 0.947, "learn+vague": 0.010,
    "like": -2.051, "like+self": -1.950, "like+vague": -0.108, "meta": 0.241, "milestone": -0.495,
    "nobody": 0.113, "number": 0.388, "number+own": 0.334, "occasion": -1.201, "own": 0.825,
    "own+vague": -0.007, "passing": -0.361, "passing+day": -0.093, "past": -0.479, "past+self": 0.778,
    "plan": 0.444, "plan+day": 0.263, "possess": 0.583, "remember": 0.685, "rest:chitchat": -0.416,
    "rest:question": 0.628, "rest:request": 0.026, "rule": 1.092, "rule+self": -0.518, "self": 0.093,
    "self+agent": 0.152, "self+meta": 0.309, "self+plan": 0.306, "self+vague": -0.099, "standing": -2.206,
    "standing+ask": -0.638, "todo": -2.416, "unsure": 0.084, "vague": -0.099,
},
{
    "agent": -0.050, "am": -0.285, "am+passing": -0.118, "ask": -0.145, "bias": -1.471, "change": -0.557,
    "day": 1.596, "day+future": 0.065, "day+occasion": 1.361, "day+past": 1.711, "deal": 0.802,
    "density:2": -0.663, "density:3": -0.588, "density:4": -0.220, "does": -0.745, "does+past": -0.122,
    "future": 0.005, "generic": -0.044, "guess": -0.043, "habit": -0.815, "health": -0.119,
    "health+self": -0.154, "holding:0": 0.100, "holding:1": -0.537, "holding:2": -0.913, "holding:3": -0.120,
    "identity": -0.169, "irony": -0.234, "keeps": -0.433, "kin": 0.501, "kin+possess": 0.145, "learn": -0.303,
    "learn+vague": -0.002, "like": -0.494, "like+self": -0.448, "like+vague": -0.009, "meta": 0.161,
    "milestone": 1.037, "nobody": -0.212, "number": -0.061, "number+own": -0.140, "occasion": 1.709,
    "own": -0.177, "own+vague": -0.031, "passing": 0.175, "passing+day": 0.148, "past": 1.258,
    "past+self": -0.042, "plan": -0.242, "plan+day": 0.152, "possess": -0.303, "remember": -0.216,
    "rest:chitchat": -0.178, "rest:question": -0.158, "rest:request": -0.003, "rule": -0.452,
    "rule+self": -0.010, "self": -1.202, "self+agent": -0.041, "self+meta": 0.178, "self+plan": -0.223,
    "self+vague": -0.083, "standing": -0.920, "standing+ask": -0.099, "todo": -1.374, "unsure": -0.030,
    "vague": -0.083,
},
{
    "agent": -0.023, "am": -0.310, "am+passing": -0.021, "ask": -0.148, "bias": -1.582, "change": -0.564,
    "day": 0.119, "day+future": 0.179, "day+occasion": -0.398, "day+past": -0.525, "deal": -0.275,
    "density:2": -0.862, "density:3": -0.321, "density:4": -0.400, "does": -0.663, "does+past": 0.112,
    "future": 0.570, "generic": -0.052, "guess": -0.015, "habit": -0.620, "health": -0.363,
    "health+self": -0.326, "holding:0": 0.255, "holding:1": -0.765, "holding:2": -0.822, "holding:3": -0.251,
    "identity": -0.114, "irony": -0.007, "keeps": -0.044, "kin": -0.069, "kin+possess": 0.061, "learn": -0.150,
    "learn+vague": -0.004, "like": -0.479, "like+self": -0.464, "like+vague": -0.014, "meta": 0.123,
    "milestone": -0.378, "nobody": -0.582, "number": 0.141, "number+own": -0.292, "occasion": -0.292,
    "own": 0.086, "own+vague": -0.035, "passing": 0.220, "passing+day": -0.049, "past": -0.363,
    "past+self": 0.096, "plan": 0.159, "plan+day": -0.310, "possess": -0.116, "remember": -0.181,
    "rest:chitchat": -0.196, "rest:question": -0.291, "rest:request": -0.006, "rule": -0.253,
    "rule+self": 0.194, "self": -0.902, "self+agent": -0.017, "self+meta": 0.037, "self+plan": 0.314,
    "self+vague": -0.073, "standing": -0.460, "standing+ask": -0.082, "todo": 3.686, "unsure": -0.006,
    "vague": -0.073,
},
)
