"""Factors on the score: what kind of memory it is, who said it, and what the question is after."""

import re

import numpy as np

from engine.clauses import folded
from engine.columns import CATEGORIES, SOURCES, TIERS, BoolArray
from engine.commands import Recall
from engine.in_time import span_strength, time_strengths
from engine.memory import Category, Int64Array, Source, Tier
from engine.policy import DAY_MS, RecallPolicy
from engine.question import Candidates, Question
from engine.ranking import Boost
from engine.state import UserState
from engine.subject import subject_of

OWN = "user"
_OWN = re.compile(r"\b(?:i|i'm|i've|my|me|mine|myself)\b|[我咱俺]", re.IGNORECASE)
_FITTING_BEST = 16
_ABOUT_AS_WELL = 0.75
_NOW = re.compile(
    r"当前|现在|目前|如今|眼下|最新|最近一次|近况|还在"
    r"|\b(now|nowadays|current(ly)?|latest|most recent(ly)?|newest|these days|at the moment|still|up to date)\b",
    re.IGNORECASE,
)


def boosts_of(
    state: UserState, recall: Recall, question: Question, found: Candidates, *, age_ms: Int64Array
) -> tuple[Boost, ...]:
    """Every factor that this search gives to some candidate, in a fixed order.

    Shapes:  each Boost.factors (m,).
    """
    policy, category = question.policy, state.columns.category[found.slots]
    present = {CATEGORIES[code] for code in set(category.tolist())}
    boosts = [
        _speaker(state, question, found, policy),
        _subject(state, question, found, policy),
        _dated(state, question, found, policy),
        _same_talk(state, recall, found, policy),
        _intent(state, recall, found, policy),
        _latest(state, recall, question, found, policy),
        _order(state, found, policy),
    ]
    if question.situations:
        boosts.append(_bears(found, policy))
    if Category.FACT in present:
        boosts.append(_where("fact", category == CATEGORIES.index(Category.FACT), policy.fact_boost))
    if Category.EVENT in present:
        boosts += _turns(state, found, category == CATEGORIES.index(Category.EVENT), policy)
    if Category.PREFERENCE in present:
        preference = category == CATEGORIES.index(Category.PREFERENCE)
        boosts += [_stale(preference, age_ms, policy), _newer_preference(state, found, preference, policy)]
    return tuple(boost for boost in boosts if boost is not None)


def _where(name: str, mask: object, factor: float) -> Boost:
    return Boost(name, np.where(mask, factor, 1.0), max(1.0, factor))  # type: ignore[call-overload]


def _bears(found: Candidates, policy: RecallPolicy) -> Boost:
    """What would do harm when forgotten comes before what merely shares the topic of the request."""
    return Boost("bears", 1.0 + (policy.bearing_boost - 1.0) * found.bearing, policy.bearing_boost)


def _stale(preference: BoolArray, age_ms: Int64Array, policy: RecallPolicy) -> Boost:
    """A preference nobody confirmed for long may have changed; saying it again renews `said_at`."""
    old = age_ms > policy.stale_preference_days * DAY_MS
    return _where("stale_preference", old & preference, policy.stale_preference_factor)


def _turns(state: UserState, found: Candidates, event: BoolArray, policy: RecallPolicy) -> list[Boost]:
    """Turns of a talk answer unequally well: a question about the world is no knowledge of the user, what somebody says
    of themselves is; whoever confirms repeats what was said, and thanks or plans to talk again tell nothing else.
    Facts, preferences and tasks are left alone.
    """
    columns, slots = state.columns, found.slots
    turn = event & (columns.tier[slots] != TIERS.index(Tier.SEMANTIC))
    personal, confirms = columns.personal[slots] > 0, columns.confirms[slots] > 0
    return [
        _where("question", turn & (columns.asking[slots] > 0) & ~personal, policy.question_factor),
        _where("personal", turn & personal, policy.personal_boost),
        _where("confirmation", turn & confirms, policy.confirmation_factor),
        _where("about_talk", turn & ~confirms & (columns.about_talk[slots] > 0), policy.talk_about_talk_factor),
    ]


def _order(state: UserState, found: Candidates, policy: RecallPolicy) -> Boost | None:
    """What the user told the agent to do from now on ("always ... when I ask about ...") bears on requests that share
    little with its words. Only the user's own orders do: a document that says "always" gives none.
    """
    columns, slots = state.columns, found.slots
    orders = (columns.orders[slots] > 0) & (columns.source[slots] == SOURCES.index(Source.USER))
    return _where("standing_order", orders, policy.order_boost) if orders.any() else None


def _speaker(state: UserState, question: Question, found: Candidates, policy: RecallPolicy) -> Boost | None:
    """What the one person said whom the question names. Two names say nothing about whose turn answers."""
    speakers = state.columns.speakers.codes
    if not speakers:
        return None
    asked = question.text.lower()
    named = [code for name, code in speakers.items() if name in asked]
    if len(named) != 1:
        return None
    return _where("speaker", state.columns.speaker[found.slots] == named[0], policy.speaker_boost)


def _subject(state: UserState, question: Question, found: Candidates, policy: RecallPolicy) -> Boost | None:
    """What is said of whom the question is about: of oneself ("what am I ...") or of one's sister ("我妹妹...").

    A question that names nobody says nothing of it, nor do candidates that are all about the same person.
    """
    subjects, given = state.columns.subjects, state.columns.subject[found.slots]
    if len(subjects.codes) < 2:
        return None
    asked = subject_of(question.text, folded(question.text))
    if asked == OWN and _OWN.search(question.text) is None:
        return None
    same = given == subjects.known(asked)
    return _where("subject", same, policy.subject_boost) if same.any() and not same.all() else None


def _dated(state: UserState, question: Question, found: Candidates, policy: RecallPolicy) -> Boost | None:
    """What happened, or was said, in the span that the question names; the narrower the span the stronger."""
    if not question.spans:
        return None
    largest = max(span_strength(span) for span in question.spans)
    strengths = time_strengths(state, question, found.slots)
    return Boost("date", 1.0 + (policy.date_boost - 1.0) * strengths, 1.0 + (policy.date_boost - 1.0) * largest)


def _same_talk(state: UserState, recall: Recall, found: Candidates, policy: RecallPolicy) -> Boost | None:
    """What belongs to the conversation or task in which the question is asked."""
    if not recall.conversation and not recall.task:
        return None
    columns = state.columns
    here = np.zeros(len(found.slots), dtype=np.bool_)
    if recall.conversation:
        here |= columns.conversation[found.slots] == columns.conversations.known(recall.conversation)
    if recall.task:
        here |= columns.task[found.slots] == columns.tasks.known(recall.task)
    return _where("same_talk", here, policy.same_talk_boost)


def _intent(state: UserState, recall: Recall, found: Candidates, policy: RecallPolicy) -> Boost | None:
    """`status` asks how things stand (episodes), `preference` what the user likes (settled knowledge)."""
    columns, slots = state.columns, found.slots
    if recall.intent == "status":
        return _where("intent_status", columns.tier[slots] == TIERS.index(Tier.EPISODIC), policy.intent_boost)
    if recall.intent == "preference":
        settled = columns.tier[slots] == TIERS.index(Tier.SEMANTIC)
        liked = columns.category[slots] == CATEGORIES.index(Category.PREFERENCE)
        return _where("intent_preference", liked | settled, policy.intent_boost)
    return None


def _latest(
    state: UserState, recall: Recall, question: Question, found: Candidates, policy: RecallPolicy
) -> Boost | None:
    """A question about how things stand now wants the newest of what fits, however long ago all of it was said.

    factor = 1 + (latest_boost - 1) * place, where place runs from 0 for the oldest to 1 for the newest of the
    candidates that fit best. What was said before or after those counts as the oldest or the newest of them.
    """
    if _NOW.search(question.text) is None and recall.intent != "status":
        return None
    said = state.columns.said_at_ms[found.slots].astype(np.float64)
    fitting = said[np.argsort(-found.relevance, kind="stable")[:_FITTING_BEST]]
    if len(fitting) == 0 or fitting.max() - fitting.min() < DAY_MS:
        return None
    place = np.clip((said - fitting.min()) / (fitting.max() - fitting.min()), 0.0, 1.0)
    return Boost("latest", 1.0 + (policy.latest_boost - 1.0) * place, policy.latest_boost)


def _newer_preference(state: UserState, found: Candidates, preference: BoolArray, policy: RecallPolicy) -> Boost | None:
    """Preferences stand side by side until one says that it replaces another; of those that fit about equally well the
    one said last is likelier to hold.

    factor = 1 + (newer_preference_boost - 1) * place, where place runs from 0 for the first said to 1 for the last.
    """
    fitting = found.relevance >= max(policy.floor, _ABOUT_AS_WELL * found.relevance.max(initial=0.0))
    rows = np.flatnonzero(fitting & preference)
    if len(rows) < 2:
        return None
    factors = np.ones(len(found.slots))
    in_order = rows[np.lexsort((found.slots[rows], state.columns.said_at_ms[found.slots[rows]]))]
    factors[in_order] += (policy.newer_preference_boost - 1.0) * np.linspace(0.0, 1.0, len(rows))
    return Boost("newer_preference", factors, policy.newer_preference_boost)
