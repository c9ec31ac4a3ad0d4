"""Weights of `engine.keep_model`. Written by bench/train_write_model.py; do not edit."""

KEEP_WEIGHTS: dict[str, float] = {
    "agent": -0.642, "agent+meta": -0.036, "am": 0.027, "am+passing": -0.067, "am+self": 0.027, "ask": 0.002,
    "bias": 0.790, "change": 0.303, "clock": 0.214, "clock+self": 0.081, "day": 0.815, "day+clock": 0.214,
    "day+future": -0.152, "day+occasion": 0.813, "day+past": 0.152, "deal": 0.819, "density:2": -0.847,
    "density:3": 0.606, "density:4": 1.031, "does": 1.058, "does+passing": -0.144, "does+past": -0.365,
    "future": 0.133, "generic": -1.999, "guess": 0.174, "habit": 0.073, "health": 0.529, "health+self": 0.417,
    "holding:0": -1.267, "holding:1": 0.483, "holding:2": 1.205, "holding:3": 0.370, "identity": 0.314,
    "irony": -0.379, "joke": -0.152, "keeps": 0.473, "kin": 0.540, "kin+possess": 0.383, "learn": 0.103,
    "learn+vague": -0.158, "like": 0.646, "like+self": 0.537, "like+vague": 0.155, "meta": -1.214,
    "meta+vague": -0.258, "milestone": -0.100, "nobody": -0.432, "number": -0.185, "number+own": 0.171,
    "occasion": 0.658, "own": -0.156, "own+generic": -0.150, "own+vague": 0.151, "passing": -1.359,
    "passing+day": 0.073, "passing+self": -0.712, "past": -0.099, "past+self": 0.191, "plan": 0.416,
    "plan+day": -0.155, "possess": 0.525, "question": -0.258, "remember": 0.419, "rest:chitchat": -1.136,
    "rest:question": -0.544, "rest:request": -0.360, "rule": 0.233, "rule+self": -0.334, "self": 1.178,
    "self+agent": -0.558, "self+meta": -1.261, "self+plan": 0.276, "self+vague": -0.264, "standing": 0.898,
    "standing+ask": -0.047, "todo": 1.236, "unsure": -0.087, "vague": -0.491,
}
ALONE_WEIGHTS: dict[str, float] = {
    "agent": -1.464, "agent+meta": -0.076, "am": 0.054, "am+passing": -0.111, "am+self": 0.054, "ask": 0.060,
    "bias": 0.708, "change": 0.464, "clock": 0.121, "clock+self": 0.040, "day": 0.725, "day+clock": 0.121,
    "day+future": -0.120, "day+occasion": 1.099, "day+past": 0.091, "deal": 1.136, "density:2": -0.603,
    "density:3": 0.648, "density:4": 0.663, "does": 1.343, "does+passing": -0.248, "does+past": -0.379,
    "future": 0.087, "generic": -2.320, "guess": -0.126, "habit": -0.190, "health": 0.689,
    "health+self": 0.536, "holding:0": -1.427, "holding:1": 0.318, "holding:2": 1.237, "holding:3": 0.580,
    "identity": 0.044, "irony": -1.044, "joke": -0.323, "keeps": 0.868, "kin": 0.687, "kin+possess": 0.375,
    "learn": -0.098, "learn+vague": -0.243, "like": 0.385, "like+self": 0.309, "like+vague": 0.391,
    "meta": -1.827, "meta+vague": -0.361, "milestone": -0.077, "nobody": -0.247, "number": 0.228,
    "number+own": 0.330, "occasion": 0.895, "own": 0.055, "own+generic": -0.273, "own+vague": 0.135,
    "passing": -1.479, "passing+day": -0.152, "passing+self": -0.743, "past": 0.021, "past+self": 0.250,
    "plan": 0.287, "plan+day": -0.574, "possess": 0.835, "question": -0.323, "remember": 0.865,
    "rest:chitchat": -1.592, "rest:question": -0.767, "rest:request": -0.592, "rule": 0.499,
    "rule+self": -0.636, "self": 0.783, "self+agent": -1.118, "self+meta": -1.532, "self+plan": 0.074,
    "self+vague": -0.610, "standing": 0.707, "standing+ask": -0.094, "todo": 1.751, "unsure": -0.318,
    "vague": -1.162,
}
VECTOR_WEIGHTS = (
    "gLwJqhezl7tAJ0Q9xLh9Ozacb7hUsEA1N7pyr9g8jbRWMCO4cLDJtNG4Sbq1tKw1Tr2gv/0wVbT7NpSk07YAuUQ5e7httAo7F7qu"
    "vjc1brR4tB41FD48ODA1FbuYNNIxEzQkNx27FRU7ugu/3jYVO9g19TqkNN68ybTyuJQ5Y7YsvMc58zsrOvu1+bMiuzY2kj5dpb4w"
    "eDi8qyC5+LTBOBi2c7YwtKy7lLusO7i0MrE2NjevlDbpPeM6W7JStxM5+LZVvaM1+Tl1s+648SiVwAYlA644uWG66jrYNLCzVjiC"
    "KPwqczwbt9o6gbx9PKk21y0aM6UlC7UENyAzvjUluPa0QiXhsfA+jyiCMwK6Prx1uac4ujkmMxs367pTtvUxxbBHLes4KrhuNX27"
    "zjSOsQewtbJkOf632jRuPMw4kzYFs0u0STgKutc5YzVmOfG0WTTQOqo83DRTOyg65DtCOeC2O57CvBq8bjoTuGykoTALNhu3iLtC"
    "qgK2oaGbOiQvSTYHO/U4fbWNOLQ5RrvBvIe2la/4O1821zSCNWizGzcyuHw67qkoPPE+djImtka6PLAnuxs4VDbItcCyXbuuuSo1"
    "ybgDLZK0hqhKuGM5jb5BuLGwHzgoNtuosjeROZ43zbs+OYawajpptRU6GbDIt7G6dLNcMAMyhDktPbokbRvNN1CwBacxtwI0ZzkV"
    "m7yxizirLl+1sLT/O3oqlqESPdiebrdkuny5zrnaJ4s87LfWspUxRjYpOlQ0lbKhJ3W7ZbzGN/C6SiZ8th2+LreIpF6y5jQAOT66"
    "47pHvhCx7a80vCcz+TTkMOw12yv/tpe2rTcrMa46NT21Nw48Qy/FNPm5rDkPtQ8m4DQNuUAt07astbu4xrGMu7k8ybq4NuK2ITvI"
    "KMMxnzTxLTo4DriEuM4+EradttY6QrV0PvE5PLbUOW24rB/6NKo6QDlUOWC4GLzjuW483rhCv2kp6beWJlm3KbnGPMI6bKkiuNG2"
    "fzT/uGAnNLoOv6A6arZ6src3"
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
    "agent": 0.087, "am": -0.471, "am+passing": 0.031, "am+self": -0.471, "ask": 0.497, "bias": -0.695,
    "change": -0.666, "clock": -0.042, "clock+self": 0.076, "day": -1.058, "day+clock": -0.042,
    "day+future": -0.284, "day+occasion": -0.465, "day+past": -0.254, "deal": -0.189, "density:2": -0.422,
    "density:3": -0.164, "density:4": -0.110, "does": -0.148, "does+passing": 0.052, "does+past": -0.526,
    "future": -0.199, "generic": -0.286, "guess": 0.028, "habit": 0.326, "health": -0.790,
    "health+self": -0.424, "holding:0": -0.067, "holding:1": -0.190, "holding:2": -0.370, "holding:3": -0.068,
    "identity": -1.732, "irony": -0.011, "keeps": -0.589, "kin": 0.089, "kin+possess": 0.346, "learn": -0.737,
    "learn+vague": -0.007, "like": 2.244, "like+self": 2.049, "like+vague": 0.116, "meta": -0.645,
    "milestone": -0.218, "nobody": -0.698, "number": -0.658, "number+own": -0.177, "occasion": -0.530,
    "own": -1.037, "own+generic": 0.011, "own+vague": 0.056, "passing": 0.002, "passing+day": -0.015,
    "passing+self": 0.120, "past": -0.989, "past+self": -0.781, "plan": -0.627, "plan+day": -0.066,
    "possess": -0.913, "remember": -0.431, "rest:chitchat": 0.729, "rest:question": -0.515,
    "rest:request": -0.072, "rule": -0.778, "rule+self": -0.009, "self": 0.296, "self+agent": -0.108,
    "self+meta": -0.619, "self+plan": -0.569, "self+vague": 0.134, "standing": 2.725, "standing+ask": 0.703,
    "todo": -0.622, "unsure": -0.019, "vague": 0.048,
},
{
    "agent": -0.097, "am": 0.496, "am+passing": 0.017, "am+self": 0.496, "ask": -0.359, "bias": 0.416,
    "change": 1.208, "clock": -0.102, "clock+self": 0.021, "day": -0.831, "day+clock": -0.102,
    "day+future": -0.014, "day+occasion": -1.204, "day+past": -2.106, "deal": -0.606, "density:2": 0.613,
    "density:3": -0.018, "density:4": -0.179, "does": 0.575, "does+passing": -0.089, "does+past": 0.403,
    "future": -0.420, "generic": 0.041, "guess": 0.009, "habit": 0.512, "health": 0.776, "health+self": 0.465,
    "holding:0": -0.445, "holding:1": 0.311, "holding:2": 0.509, "holding:3": 0.041, "identity": 1.058,
    "irony": 0.225, "keeps": 0.847, "kin": -0.386, "kin+possess": -0.411, "learn": 1.323, "learn+vague": 0.005,
    "like": -2.049, "like+self": -1.948, "like+vague": -0.127, "meta": 0.263, "milestone": -0.644,
    "nobody": 0.109, "number": 0.458, "number+own": 0.357, "occasion": -1.235, "own": 0.841,
    "own+generic": 0.008, "own+vague": -0.048, "passing": -0.339, "passing+day": -0.115,
    "passing+self": -0.122, "past": -0.344, "past+self": 0.965, "plan": 0.605, "plan+day": 0.240,
    "possess": 0.734, "remember": 0.404, "rest:chitchat": -0.463, "rest:question": 0.585,
    "rest:request": 0.054, "rule": 1.072, "rule+self": -0.482, "self": -0.006, "self+agent": 0.112,
    "self+meta": 0.318, "self+plan": 0.459, "self+vague": -0.090, "standing": -2.102, "standing+ask": -0.682,
    "todo": -2.399, "unsure": 0.047, "vague": 0.135,
},
{
    "agent": -0.038, "am": -0.215, "am+passing": -0.102, "am+self": -0.215, "ask": -0.130, "bias": -1.485,
    "change": -0.492, "clock": 0.127, "clock+self": -0.127, "day": 1.655, "day+clock": 0.127,
    "day+future": 0.042, "day+occasion": 1.374, "day+past": 1.701, "deal": 0.881, "density:2": -0.639,
    "density:3": -0.618, "density:4": -0.227, "does": -0.722, "does+passing": -0.011, "does+past": -0.095,
    "future": -0.031, "generic": -0.175, "guess": -0.032, "habit": -0.877, "health": -0.099,
    "health+self": -0.123, "holding:0": 0.145, "holding:1": -0.595, "holding:2": -0.929, "holding:3": -0.106,
    "identity": -0.279, "irony": -0.226, "keeps": -0.233, "kin": 0.494, "kin+possess": 0.142, "learn": -0.462,
    "learn+vague": -0.002, "like": -0.489, "like+self": -0.441, "like+vague": -0.007, "meta": 0.177,
    "milestone": 1.168, "nobody": -0.129, "number": -0.132, "number+own": -0.153, "occasion": 1.766,
    "own": -0.079, "own+generic": -0.007, "own+vague": -0.024, "passing": 0.219, "passing+day": 0.158,
    "passing+self": -0.091, "past": 1.190, "past+self": -0.053, "plan": -0.229, "plan+day": 0.162,
    "possess": -0.329, "remember": -0.371, "rest:chitchat": -0.199, "rest:question": -0.133,
    "rest:request": -0.005, "rule": -0.497, "rule+self": 0.038, "self": -1.305, "self+agent": -0.028,
    "self+meta": 0.193, "self+plan": -0.193, "self+vague": -0.090, "standing": -0.967, "standing+ask": -0.096,
    "todo": -1.527, "unsure": -0.020, "vague": -0.139,
},
{
    "agent": -0.022, "am": -0.152, "am+passing": -0.033, "am+self": -0.152, "ask": -0.181, "bias": -1.585,
    "change": -0.567, "clock": -0.055, "clock+self": 0.189, "day": 0.351, "day+clock": -0.055,
    "day+future": 0.144, "day+occasion": -0.492, "day+past": -0.577, "deal": -0.393, "density:2": -0.849,
    "density:3": -0.288, "density:4": -0.448, "does": -0.748, "does+passing": -0.005, "does+past": 0.091,
    "future": 0.582, "generic": 0.286, "guess": -0.014, "habit": -0.648, "health": -0.380,
    "health+self": -0.332, "holding:0": 0.267, "holding:1": -0.727, "holding:2": -0.843, "holding:3": -0.283,
    "identity": 0.068, "irony": -0.006, "keeps": -0.154, "kin": -0.085, "kin+possess": 0.049, "learn": -0.208,
    "learn+vague": -0.003, "like": -0.467, "like+self": -0.452, "like+vague": -0.014, "meta": 0.106,
    "milestone": -0.419, "nobody": -0.516, "number": 0.111, "number+own": -0.262, "occasion": -0.339,
    "own": -0.015, "own+generic": -0.021, "own+vague": -0.030, "passing": 0.202, "passing+day": -0.061,
    "passing+self": 0.080, "past": -0.331, "past+self": 0.134, "plan": 0.096, "plan+day": -0.317,
    "possess": -0.120, "remember": 0.488, "rest:chitchat": -0.261, "rest:question": -0.314,
    "rest:request": -0.014, "rule": -0.352, "rule+self": 0.245, "self": -0.967, "self+agent": -0.016,
    "self+meta": 0.033, "self+plan": 0.266, "self+vague": -0.075, "standing": -0.534, "standing+ask": -0.079,
    "todo": 3.780, "unsure": -0.006, "vague": -0.123,
},
)
