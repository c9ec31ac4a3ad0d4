"""Words a query uses to ask, which the memory that answers it need not hold. English and Chinese.

Three strengths. *Stop* words are dropped while any other token remains. *Particles* of place, time and reason only
refine: they never find a memory, and lift one that was found ("a trip to" over "a trip from"). *Asking* words are
about the conversation itself ("list in which order we discussed...") and count half.
"""

from engine.stems import stem

PARTICLE_WEIGHT = 0.3
ASKING_WEIGHT = 0.5

_STOP_ENGLISH = """
a all also am an and any are as be been being both but can could did do does doing done each few had has have having he
her here hers him his how i ill if is it its itself just me more most my myself nor not now of off on once only or other
our ours own same she should some such than that the their theirs them then there these they this those through too
under until very was we were what when where which while who whom whose why will would you your yours yourself dont
didnt doesnt isnt arent wasnt werent hasnt havent wont wouldnt cant couldnt shouldnt im ive id youre youve hes shes
theyre theyve weve were whats thats theres lets youll shell theyll s t d ll m re ve please tell know remember
"""
_PARTICLES_ENGLISH = "about after at before by for from if in into no not of on or out over so to up with"
_ASKING_ENGLISH = """
across throughout ever show mention list order provide comprehensive summary discuss session different aspect bring
"""
_STOP_HAN_CHARACTERS = """
的 了 吗 呢 吧 啊 呀 么 着 过 是 在 有 和 与 或 就 也 都 很 还 又 我 你 您 他 她 它 们 这 那 哪 什 怎 谁 几 之 其 而 且
但 被 把 给 对 从 到 为 于 以 及 所 个 请 没 不 会 要 能 可
"""
_STOP_HAN_WORDS = """
什么 怎么 怎样 哪个 哪些 哪里 哪儿 多少 是否 有没 没有 我的 你的 他的 她的 我们 你们 他们 她们 是不 不是 这个 那个
这些 那些 一个 一下 可以 知道 告诉 诉我 记得 还记 请问 为什 为何 如何 时候 是什 么时 是谁 在哪 有什 些什 过什 的是
了什 的什 吗我 我是 是我 你知 道我 你还 得我
"""


def _with_stems(words: str) -> frozenset[str]:
    return frozenset(words.split()) | {stem(word) for word in words.split()}


PARTICLES = _with_stems(_PARTICLES_ENGLISH)
ASKING_TOKENS = _with_stems(_ASKING_ENGLISH)
STOP_TOKENS = (
    _with_stems(_STOP_ENGLISH)
    | PARTICLES
    | frozenset(_STOP_HAN_CHARACTERS.split())
    | frozenset(_STOP_HAN_WORDS.split())
)
