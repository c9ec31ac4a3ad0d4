"""Stems of English words: "moved", "moving" and "moves" meet in "move".

The rules are the English stemmer of the Snowball project (Porter 2, https://snowballstem.org/algorithms/english/),
written anew here, after a table of irregular forms, because "went" and "go" are the same word to whoever asks.
Words of other languages pass through the same rules: the result is a key, equal on both sides, never shown.
"""

import re
from functools import lru_cache

# Longer words are ids or noise; cutting them up would only cost time.
_LETTERS_MAX = 30

_VOWELS = "aeiouy"
_DOUBLE = ("bb", "dd", "ff", "gg", "mm", "nn", "pp", "rr", "tt")
_LI_AFTER = "cdeghkmnrt"
_FIRST_REGION = re.compile(r"[aeiouy][^aeiouy]")
_R1_AS_GIVEN = ("gener", "commun", "arsen", "univers", "emerg", "organ", "inter", "later")

_STEP_2 = (
    ("ization", "ize"), ("ational", "ate"), ("fulness", "ful"), ("ousness", "ous"), ("iveness", "ive"),
    ("tional", "tion"), ("biliti", "ble"), ("lessli", "less"), ("entli", "ent"), ("ation", "ate"),
    ("alism", "al"), ("aliti", "al"), ("ousli", "ous"), ("iviti", "ive"), ("fulli", "ful"), ("enci", "ence"),
    ("anci", "ance"), ("abli", "able"), ("izer", "ize"), ("ator", "ate"), ("alli", "al"), ("bli", "ble"),
)  # fmt: skip
_STEP_3 = (
    ("ational", "ate"), ("tional", "tion"), ("alize", "al"), ("icate", "ic"), ("iciti", "ic"), ("ical", "ic"),
    ("ness", ""), ("ful", ""),
)  # fmt: skip
_STEP_4 = (
    "ement", "ance", "ence", "able", "ible", "ment", "ant", "ent", "ism", "ate", "iti", "ous", "ive", "ize",
    "al", "er", "ic",
)  # fmt: skip

# One line per word: the form to look for, then the forms people write. Only forms that are no other common word.
_IRREGULAR_LINES = """
be am is are was were been being
have has had having
do does did done doing
go goes went gone
buy bought
bring brought
think thought
teach taught
catch caught
seek sought
fight fought
come came
become became
begin began begun
run ran
swim swam swum
sing sang sung
drink drank drunk
eat ate eaten
give gave given
forgive forgave forgiven
take took taken
mistake mistook mistaken
shake shook shaken
make made
break broke broken
speak spoke spoken
wake woke woken
choose chose chosen
freeze froze frozen
steal stole stolen
drive drove driven
ride rode ridden
write wrote written
rise rose risen
hide hid hidden
bite bit bitten
see saw seen
know knew known
grow grew grown
throw threw thrown
fly flew flown
draw drew drawn
blow blew blown
wear wore worn
tear tore torn
swear swore sworn
forget forgot forgotten
get got gotten
keep kept
sleep slept
feel felt
meet met
leave left
lose lost
send sent
spend spent
lend lent
build built
sell sold
tell told
say said
pay paid
hear heard
hold held
stand stood
understand understood
win won
sit sat
stick stuck
hang hung
dig dug
find found
fall fell fallen
feed fed
lead led
shoot shot
sweep swept
mean meant
dream dreamt
learn learnt
burn burnt
spell spelt
lie lying
die dying
tie tying
child children
man men
woman women
person people
mouse mice
foot feet
tooth teeth
goose geese
life lives
wife wives
knife knives
leaf leaves
shelf shelves
half halves
wolf wolves
good better best
bad worse worst
colour color colors colours
favourite favorite favorites favourites
flavour flavor flavors flavours
neighbour neighbor neighbors neighbours
centre center centers centres
theatre theater theaters theatres
grey gray
mum mom moms mums
jewellery jewelry
programme program programs programmes
sky skies
"""

# Words the rules would send to a neighbour of another meaning, from the list of the algorithm's authors.
_AS_GIVEN = frozenset(("sky", "news", "howe", "atlas", "cosmos", "bias", "andes"))
_AFTER_PLURAL = frozenset(
    ("proceed", "exceed", "succeed", "evening", "inning", "outing", "canning", "herring", "earring")
)
_SPECIAL = {
    "skis": "ski", "idly": "idl", "gently": "gentl", "ugly": "ugli", "early": "earli",
    "only": "onli", "singly": "singl",
}  # fmt: skip


def _irregular() -> dict[str, str]:
    forms: dict[str, str] = {}
    for line in _IRREGULAR_LINES.split("\n"):
        words = line.split()
        for form in words[1:]:
            forms[form] = words[0]
    return forms


_IRREGULAR = _irregular()


@lru_cache(maxsize=16384)
def stem(word: str) -> str:
    """The key of one lower-case word without apostrophes.

    Edges:   words of fewer than three letters, words with anything but a-z and words over 30 letters are returned
             unchanged. The cache is shared by the process, so a word costs its 5 microseconds once.
    """
    word = _IRREGULAR.get(word, word)
    if len(word) < 3 or len(word) > _LETTERS_MAX or not word.isascii() or not word.isalpha() or word in _AS_GIVEN:
        return word
    if word in _SPECIAL:
        return _SPECIAL[word]
    return _by_rules(_mark_consonant_y(word)).lower()


def _mark_consonant_y(word: str) -> str:
    """Write a y that acts as a consonant as Y: the first letter, and after a vowel."""
    if "y" not in word:
        return word
    letters = list(word)
    for index, letter in enumerate(letters):
        if letter == "y" and (index == 0 or letters[index - 1] in _VOWELS):
            letters[index] = "Y"
    return "".join(letters)


def _regions(word: str) -> tuple[int, int]:
    """Where R1 and R2 begin: after the first consonant that follows a vowel, and again after that."""
    first = next((len(prefix) for prefix in _R1_AS_GIVEN if word.startswith(prefix)), -1)
    if first < 0:
        found = _FIRST_REGION.search(word)
        first = found.end() if found else len(word)
    found = _FIRST_REGION.search(word, first)
    return first, found.end() if found else len(word)


def _ends_short(word: str) -> bool:
    """Whether the last syllable is short: vowel and consonant at the start, or consonant, vowel, consonant."""
    if len(word) == 2:
        return word[0] in _VOWELS and word[1] not in _VOWELS
    if len(word) < 2:
        return False
    return word[-1] not in _VOWELS + "wxY" and word[-2] in _VOWELS and word[-3] not in _VOWELS


def _has_vowel(text: str) -> bool:
    return any(letter in _VOWELS for letter in text)


def _by_rules(word: str) -> str:
    first, second = _regions(word)
    word = _plural(word)
    if word in _AFTER_PLURAL:
        return word
    word = _past_and_gerund(word, first)
    if len(word) > 2 and word[-1] in "yY" and word[-2] not in _VOWELS:
        word = word[:-1] + "i"
    word = _longer_suffixes(word, first)
    word = _step_3(word, first, second)
    word = _step_4(word, second)
    return _final_e_or_l(word, first, second)


def _plural(word: str) -> str:
    if word.endswith("sses"):
        return word[:-2]
    if word.endswith(("ied", "ies")):
        return word[:-2] if len(word) > 4 else word[:-1]
    if word.endswith("s") and not word.endswith(("us", "ss")) and _has_vowel(word[:-2]):
        return word[:-1]
    return word


def _past_and_gerund(word: str, first: int) -> str:
    for suffix in ("eedly", "eed"):
        if word.endswith(suffix):
            return word[: len(word) - len(suffix)] + "ee" if len(word) - len(suffix) >= first else word
    for suffix in ("ingly", "edly", "ing", "ed"):
        if not word.endswith(suffix):
            continue
        rest = word[: len(word) - len(suffix)]
        if not _has_vowel(rest):
            return word
        if rest.endswith(("at", "bl", "iz")):
            return rest + "e"
        if rest.endswith(_DOUBLE) and not (len(rest) == 3 and rest[0] in "aeo"):
            return rest[:-1]
        return rest + "e" if len(rest) <= first and _ends_short(rest) else rest
    return word


def _longer_suffixes(word: str, first: int) -> str:
    for suffix, instead in _STEP_2:
        if word.endswith(suffix):
            at = len(word) - len(suffix)
            return word[:at] + instead if at >= first else word
    if word.endswith("ogist"):
        return word[:-3] if len(word) - 5 >= first else word
    if word.endswith("ogi"):
        return word[:-1] if len(word) - 3 >= first and word[-4:-3] == "l" else word
    if word.endswith("li"):
        return word[:-2] if len(word) - 2 >= first and word[-3:-2] in _LI_AFTER else word
    return word


def _step_3(word: str, first: int, second: int) -> str:
    for suffix, instead in _STEP_3:
        if word.endswith(suffix):
            at = len(word) - len(suffix)
            return word[:at] + instead if at >= first else word
    return word[:-5] if word.endswith("ative") and len(word) - 5 >= second else word


def _step_4(word: str, second: int) -> str:
    for suffix in _STEP_4:
        if word.endswith(suffix):
            return word[: len(word) - len(suffix)] if len(word) - len(suffix) >= second else word
    if word.endswith("ion") and len(word) - 3 >= second and word[-4:-3] in ("s", "t"):
        return word[:-3]
    return word


def _final_e_or_l(word: str, first: int, second: int) -> str:
    if word.endswith("e"):
        at = len(word) - 1
        return word[:-1] if at >= second or (at >= first and not _ends_short(word[:-1])) else word
    return word[:-1] if word.endswith("ll") and len(word) - 1 >= second else word
