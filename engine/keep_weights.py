"""Weights of `engine.keep_model`. Written by bench/train_write_model.py; do not edit."""

KEEP_WEIGHTS: dict[str, float] = {
    "agent": -0.636, "agent+meta": -0.033, "am": 0.008, "am+passing": -0.061, "am+self": 0.008, "ask": 0.001,
    "bias": 0.789, "change": 0.315, "clock": 0.221, "clock+self": 0.083, "day": 0.759, "day+clock": 0.221,
    "day+future": -0.140, "day+occasion": 0.829, "day+past": 0.181, "deal": 0.845, "density:2": -0.817,
    "density:3": 0.599, "density:4": 1.008, "does": 1.085, "does+passing": -0.148, "does+past": -0.388,
    "future": 0.166, "generic": -2.000, "guess": 0.179, "habit": 0.089, "health": 0.538, "health+self": 0.424,
    "holding:0": -1.270, "holding:1": 0.497, "holding:2": 1.223, "holding:3": 0.339, "identity": 0.288,
    "irony": -0.365, "joke": -0.151, "keeps": 0.474, "kin": 0.536, "kin+possess": 0.385, "learn": 0.112,
    "learn+vague": -0.147, "like": 0.643, "like+self": 0.534, "like+vague": 0.162, "meta": -1.325,
    "meta+vague": -0.245, "milestone": -0.105, "nobody": -0.430, "number": -0.187, "number+own": 0.164,
    "occasion": 0.675, "own": -0.161, "own+generic": -0.127, "own+vague": 0.141, "passing": -1.359,
    "passing+day": 0.074, "passing+self": -0.714, "past": -0.086, "past+self": 0.189, "plan": 0.428,
    "plan+day": -0.141, "possess": 0.525, "question": -0.258, "remember": 0.427, "rest:chitchat": -1.151,
    "rest:question": -0.537, "rest:request": -0.542, "rule": 0.230, "rule+self": -0.325, "self": 1.176,
    "self+agent": -0.540, "self+meta": -1.247, "self+plan": 0.293, "self+vague": -0.266, "standing": 0.888,
    "standing+ask": -0.048, "todo": 1.207, "unsure": -0.082, "vague": -0.463,
}
ALONE_WEIGHTS: dict[str, float] = {
    "agent": -1.461, "agent+meta": -0.065, "am": 0.017, "am+passing": -0.078, "am+self": 0.017, "ask": 0.058,
    "bias": 0.709, "change": 0.471, "clock": 0.146, "clock+self": 0.044, "day": 0.659, "day+clock": 0.146,
    "day+future": -0.114, "day+occasion": 1.110, "day+past": 0.132, "deal": 1.148, "density:2": -0.568,
    "density:3": 0.638, "density:4": 0.639, "does": 1.364, "does+passing": -0.242, "does+past": -0.392,
    "future": 0.127, "generic": -2.315, "guess": -0.118, "habit": -0.178, "health": 0.691,
    "health+self": 0.540, "holding:0": -1.436, "holding:1": 0.347, "holding:2": 1.284, "holding:3": 0.514,
    "identity": 0.004, "irony": -1.032, "joke": -0.321, "keeps": 0.863, "kin": 0.685, "kin+possess": 0.384,
    "learn": -0.057, "learn+vague": -0.207, "like": 0.356, "like+self": 0.279, "like+vague": 0.391,
    "meta": -2.011, "meta+vague": -0.328, "milestone": -0.069, "nobody": -0.246, "number": 0.223,
    "number+own": 0.328, "occasion": 0.904, "own": 0.028, "own+generic": -0.266, "own+vague": 0.130,
    "passing": -1.480, "passing+day": -0.142, "passing+self": -0.739, "past": 0.031, "past+self": 0.254,
    "plan": 0.304, "plan+day": -0.550, "possess": 0.844, "question": -0.325, "remember": 0.887,
    "rest:chitchat": -1.632, "rest:question": -0.755, "rest:request": -0.861, "rule": 0.490,
    "rule+self": -0.606, "self": 0.788, "self+agent": -1.119, "self+meta": -1.481, "self+plan": 0.098,
    "self+vague": -0.606, "standing": 0.698, "standing+ask": -0.096, "todo": 1.706, "unsure": -0.320,
    "vague": -1.104,
}
VECTOR_WEIGHTS = (
    "r7xvpeCzarvDHjc9urj4O0eoZrjTsFk15LkLrdA8r7QOMBy4pbC0tlS5MLrPtE41dL3Wv5MvHbWPN5ilpLa3uKI53rhys6s67bmZ"
    "vv817rRhtJ81/D2jOB42xbopNIAwjzRHOPe6Dij9uf6+ojU0O/I1Lzu+M928xLKVufE58bUBvPw57zsIOi61i7S5uko2hT40LOAw"
    "mjgZpou5d7aoOAa2q7VpsvK7bruiO2q0WrLeNYeueDawPag6x7Cnt9E4OrcqvVg1MTrbtIK5syiZwC+sjK1WuXm51TpgNAezLjcl"
    "qFwucTybtwE7RLx4PGM2XajfM3ooGrV0N080VzdTuIO1FCw8rQk/QSFDNBW6PbwqufA4TjrJMb02J7s7t9gyrLEQLLA49rhuNYu7"
    "YjVYsvioLLMgOTS4cTRyPJA4oDYRtNq0aThYurs6BDVZOT+1/DVrOhA9TTYoO0Y6BjxNOZy3XifYvHS8jjocuISjfjCFM4G3vbpa"
    "rBS2IizyOewr+zY4O0g4PLZ9OJ05MLvXvBO3eK4LPNI25DQdNYyyhTctuKg6xKXTO8c+lTAQtjW6Ma+Bu882vTXStUGxGrvUubs0"
    "briAMByzQakbuaM5g76vuDCzgzfKNYWsNTicOdQ2jbttOcexHDq1taM5/68ttzu6Za0TMS0y4TldPd4gTiQOONWvdqxMtzE0nzlB"
    "KEqyuDdfLoO1IrVxOwAx3S1nPSsihbVjuqW5zLn+pdk8Bbhysi8zGTYSOk8zlLAQMNa6HLwOOFG7LCwjtna+3rbhJHKxpzTPOL+6"
    "kLrxvSKx464hvMcz1zMBMD829SmxtQu3PzhQL5g6+TwKOCU85y7iMfK5oTlMtQiiwjTHuDQi+LWEtRS5fLFzu8I8t7p4N9m3gDuj"
    "JRExpTWpLo44qLf8t7E+kbYVt1k6lrRzPgo6ArdhOVe3Mqy2NZg6xzmbOGu4zrstupE8g7h+v7Um5rdvMOm2BbmJPFw6AqrFuJG2"
    "EDMDuSwmjLrUvo06O7dbsaI3"
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
    "agent": 0.093, "am": -0.498, "am+passing": 0.049, "am+self": -0.498, "ask": 0.509, "bias": -0.678,
    "change": -0.655, "clock": -0.039, "clock+self": 0.081, "day": -1.052, "day+clock": -0.039,
    "day+future": -0.267, "day+occasion": -0.458, "day+past": -0.256, "deal": -0.184, "density:2": -0.249,
    "density:3": -0.215, "density:4": -0.214, "does": -0.148, "does+passing": 0.056, "does+past": -0.533,
    "future": -0.211, "generic": -0.304, "guess": 0.031, "habit": 0.356, "health": -0.793,
    "health+self": -0.430, "holding:0": -0.055, "holding:1": -0.177, "holding:2": -0.369, "holding:3": -0.077,
    "identity": -1.789, "irony": -0.010, "keeps": -0.582, "kin": 0.074, "kin+possess": 0.352, "learn": -0.719,
    "learn+vague": -0.006, "like": 2.248, "like+self": 2.047, "like+vague": 0.120, "meta": -0.477,
    "milestone": -0.216, "nobody": -0.687, "number": -0.642, "number+own": -0.163, "occasion": -0.531,
    "own": -1.060, "own+generic": 0.012, "own+vague": 0.060, "passing": 0.002, "passing+day": -0.015,
    "passing+self": 0.119, "past": -0.974, "past+self": -0.767, "plan": -0.627, "plan+day": -0.064,
    "possess": -0.898, "remember": -0.417, "rest:chitchat": 0.668, "rest:question": -0.510,
    "rest:request": -0.070, "rule": -0.765, "rule+self": -0.010, "self": 0.314, "self+agent": -0.106,
    "self+meta": -0.477, "self+plan": -0.569, "self+vague": 0.142, "standing": 2.733, "standing+ask": 0.707,
    "todo": -0.622, "unsure": -0.018, "vague": 0.057,
},
{
    "agent": -0.103, "am": 0.514, "am+passing": 0.005, "am+self": 0.514, "ask": -0.372, "bias": 0.401,
    "change": 1.198, "clock": -0.100, "clock+self": 0.029, "day": -0.822, "day+clock": -0.100,
    "day+future": -0.027, "day+occasion": -1.207, "day+past": -2.104, "deal": -0.613, "density:2": 0.480,
    "density:3": 0.017, "density:4": -0.097, "does": 0.553, "does+passing": -0.093, "does+past": 0.435,
    "future": -0.414, "generic": 0.056, "guess": 0.006, "habit": 0.493, "health": 0.772, "health+self": 0.465,
    "holding:0": -0.454, "holding:1": 0.304, "holding:2": 0.507, "holding:3": 0.043, "identity": 1.094,
    "irony": 0.216, "keeps": 0.845, "kin": -0.370, "kin+possess": -0.418, "learn": 1.311, "learn+vague": 0.005,
    "like": -2.052, "like+self": -1.946, "like+vague": -0.130, "meta": 0.118, "milestone": -0.647,
    "nobody": 0.097, "number": 0.444, "number+own": 0.351, "occasion": -1.231, "own": 0.853,
    "own+generic": 0.007, "own+vague": -0.051, "passing": -0.338, "passing+day": -0.118,
    "passing+self": -0.119, "past": -0.361, "past+self": 0.954, "plan": 0.609, "plan+day": 0.240,
    "possess": 0.718, "remember": 0.391, "rest:chitchat": -0.428, "rest:question": 0.560,
    "rest:request": 0.053, "rule": 1.065, "rule+self": -0.475, "self": -0.018, "self+agent": 0.110,
    "self+meta": 0.118, "self+plan": 0.465, "self+vague": -0.094, "standing": -2.101, "standing+ask": -0.688,
    "todo": -2.403, "unsure": 0.046, "vague": 0.132,
},
{
    "agent": -0.038, "am": -0.218, "am+passing": -0.103, "am+self": -0.218, "ask": -0.131, "bias": -1.483,
    "change": -0.488, "clock": 0.127, "clock+self": -0.128, "day": 1.655, "day+clock": 0.127,
    "day+future": 0.039, "day+occasion": 1.374, "day+past": 1.697, "deal": 0.883, "density:2": -0.652,
    "density:3": -0.626, "density:4": -0.204, "does": -0.723, "does+passing": -0.010, "does+past": -0.097,
    "future": -0.038, "generic": -0.175, "guess": -0.033, "habit": -0.879, "health": -0.098,
    "health+self": -0.122, "holding:0": 0.149, "holding:1": -0.595, "holding:2": -0.930, "holding:3": -0.106,
    "identity": -0.278, "irony": -0.226, "keeps": -0.231, "kin": 0.495, "kin+possess": 0.143, "learn": -0.466,
    "learn+vague": -0.002, "like": -0.490, "like+self": -0.443, "like+vague": -0.007, "meta": 0.191,
    "milestone": 1.170, "nobody": -0.128, "number": -0.126, "number+own": -0.154, "occasion": 1.763,
    "own": -0.079, "own+generic": -0.007, "own+vague": -0.025, "passing": 0.217, "passing+day": 0.156,
    "passing+self": -0.093, "past": 1.188, "past+self": -0.049, "plan": -0.230, "plan+day": 0.163,
    "possess": -0.332, "remember": -0.374, "rest:chitchat": -0.197, "rest:question": -0.134,
    "rest:request": -0.005, "rule": -0.500, "rule+self": 0.038, "self": -1.303, "self+agent": -0.029,
    "self+meta": 0.191, "self+plan": -0.195, "self+vague": -0.091, "standing": -0.968, "standing+ask": -0.097,
    "todo": -1.526, "unsure": -0.020, "vague": -0.140,
},
{
    "agent": -0.022, "am": -0.152, "am+passing": -0.034, "am+self": -0.152, "ask": -0.182, "bias": -1.587,
    "change": -0.569, "clock": -0.055, "clock+self": 0.189, "day": 0.350, "day+clock": -0.055,
    "day+future": 0.144, "day+occasion": -0.492, "day+past": -0.578, "deal": -0.396, "density:2": -0.861,
    "density:3": -0.284, "density:4": -0.442, "does": -0.743, "does+passing": -0.005, "does+past": 0.090,
    "future": 0.584, "generic": 0.287, "guess": -0.014, "habit": -0.650, "health": -0.380,
    "health+self": -0.332, "holding:0": 0.267, "holding:1": -0.727, "holding:2": -0.843, "holding:3": -0.283,
    "identity": 0.067, "irony": -0.006, "keeps": -0.155, "kin": -0.083, "kin+possess": 0.050, "learn": -0.209,
    "learn+vague": -0.003, "like": -0.467, "like+self": -0.452, "like+vague": -0.014, "meta": 0.041,
    "milestone": -0.418, "nobody": -0.518, "number": 0.109, "number+own": -0.262, "occasion": -0.338,
    "own": -0.017, "own+generic": -0.021, "own+vague": -0.030, "passing": 0.203, "passing+day": -0.060,
    "passing+self": 0.080, "past": -0.334, "past+self": 0.132, "plan": 0.096, "plan+day": -0.318,
    "possess": -0.120, "remember": 0.488, "rest:chitchat": -0.260, "rest:question": -0.314,
    "rest:request": -0.014, "rule": -0.353, "rule+self": 0.243, "self": -0.966, "self+agent": -0.016,
    "self+meta": 0.041, "self+plan": 0.266, "self+vague": -0.075, "standing": -0.535, "standing+ask": -0.079,
    "todo": 3.779, "unsure": -0.006, "vague": -0.123,
},
)
