"""Words that mark negation, another person or a hypothesis, as ``context.py`` uses them.

The lists are in ``triggers.json``. Apostrophes and hyphens are written as blanks, as in
:mod:`words`: "doesn't" is "doesn t"; ``{minus}`` and ``{plus}`` are the signs before a finding.

Source:
    The kinds of lists are those of NegEx (Chapman et al., J Biomed Inform 2001, 34:301-310) and
    ConText (Harkema et al., J Biomed Inform 2009, 42:839-851); the lists are this project's.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import orjson

from gym_clinic.retrieval.graph.words import DOUBT, MINUS, PLAIN, PLUS, Word

Phrases = dict[str, list[tuple[str, ...]]]

_LISTS: dict[str, dict[str, list[str]]] = orjson.loads(
    Path(__file__).with_name("triggers.json").read_bytes()
)


def _words(name: str) -> frozenset[str]:
    return frozenset(
        word.format(minus=MINUS, plus=PLUS, doubt=DOUBT) for word in _LISTS["words"][name]
    )


def _phrases(name: str) -> Phrases:
    """Return the phrases of a list by their first word, the longest first."""
    found: Phrases = {}
    for phrase in _LISTS["phrases"][name]:
        words = tuple(phrase.format(minus=MINUS, plus=PLUS, doubt=DOUBT).split())
        found.setdefault(words[0], []).append(words)
    return {first: sorted(alike, key=len, reverse=True) for first, alike in found.items()}


def matched(phrases: Phrases, words: Sequence[Word], place: int) -> int:
    """Return the length of the longest phrase that begins at a word; 0 for none."""
    possible = phrases.get(words[place].text)
    if possible is None:
        return 0
    for phrase in possible:
        here = words[place : place + len(phrase)]
        inside = all(word.before == PLAIN for word in here[1:])
        if inside and tuple(word.text for word in here) == phrase:
            return len(phrase)
    return 0


BEFORE = _phrases("before")
"""Negations of the words that follow."""
AFTER = _phrases("after")
"""Negations of the preceding words, at the end of a clause."""
ENDED = _phrases("ended")
"""Those that need not end their clause: "resolved after a week"."""
PAST = _phrases("past")
"""Of all negations, those of what was there: "no longer", "resolved"."""
FORMERLY = _phrases("formerly")
"""Times of life: what a patient had then is past."""
LONG_AGO = _phrases("long_ago")
"""Distant times: what a patient "had" then is past."""
DISTANT = frozenset(FORMERLY).union(LONG_AGO)
"""First words of such times."""
ALL = _phrases("all")
"""Those of a whole list: "fever and cough, all absent"."""
HEADING = _phrases("heading")
"""Negations of the words that follow a colon: "Negative: fever"."""
PSEUDO = _phrases("pseudo")
"""Pseudo-negations: they negate no symptom."""
CONDITION = _phrases("condition")
"""The words that follow are hypothetical."""
BEARERS = _phrases("bearers")
"""Who has what follows, behind what is looked for: "CT to exclude embolism in a man with"."""
DOUBT_OF = _phrases("doubt")
"""The next finding alone is hypothetical: "suspected pneumonia with fever"."""
CONDITION_AFTER = _phrases("condition_after")
"""The preceding words are hypothetical."""
FAMILY = _phrases("family")
"""What makes another's what follows."""
RELATIVES = _words("relatives")
BESIDE_RELATIVES = _words("beside_relatives")
"""What may stand between a relative and what the relative has, or before one."""
SUFFERS = _words("suffers")
"""What a relative does who has something; one who "reports" or "brought him" has nothing."""
ENDS = _words("ends")
"""What ends every scope."""
REPORTS = _words("reports")
"""What begins something new once something was denied: "no fever, complains of a cough"."""
HAVING = _words("having")
"""Likewise: "no fever and has a cough"."""
SUBJECTS = _words("subjects")
"""What begins something new after a comma or "and"."""
GOES_ON = _words("goes_on")
"""What follows a "gone" that ends nothing: "gone yellow"."""
HAD = _words("had")
"""Verbs of what is past."""
ONSET = _words("onset")
"""Words of what began then, or is told of now: "tremor that began years ago"."""
HISTORY = _words("history")
"""What begins the list of a patient's earlier diseases."""
NOW = _words("now")
"""Words of what is present in a sentence about the past."""
POSSIBLE = _words("possible")
"""Verbs of what may be: the words that follow are hypothetical."""
NOT_POSSIBLE = _words("not_possible")
"""Words behind a "may" that supposes nothing: "you might say that"."""
MONTH = _words("month")
"""Words before the month of May."""
VERBS = HAVING | _words("course")
TIMES = _words("times")
"""With a verb, what makes a clause of what stands between two commas."""
COUNTING = _words("counting")
"""What follows an "or" that joins no symptoms: "for a day or two"."""
FILLING = _words("filling")
"""Words between a negation and the finding that it negates."""
REACH = 40
"""Most words of a scope that reaches back; it bounds the time for any text."""
BESIDE_AT_MOST = 6
"""Most words between a relative and the finding."""
YES = _phrases("yes")
NO = _phrases("no")
"""First words of an answer to a question."""
ANSWERS = _words("no")
"""Words that are an answer before a comma: "no, I have ..."."""
OWNERS = _words("owners")
"""With a verb, what makes a clause of what follows "and": "and your cough has improved"."""
ASIDES = _words("asides")
"""What begins a clause between a finding and its verb: "the cough, which ..., has resolved"."""
AMOUNTS = _words("amounts")
"""Words before the "of which" of such a clause."""
REFERS = _words("refers")
"""What stands for the clause before: "a cough, but that cleared up"."""
TELLS = _words("tells")
"""What a relative has done who tells of the patient: "his wife has noticed"."""
EXAMINING = _words("examining")
"""With "on", what begins a new clause: "and on examination"."""
STATES = _words("states")
"""What begins the name of a finding that is not denied after a comma: "no anemia, raised CRP"."""
OPEN = _words("open")
"""First words of a question about a present finding: "How long have you had it?"."""
AN_ITEM_HAS_NO = VERBS | TIMES | ENDS | REPORTS | SUBJECTS
"""Words that do not occur in an item of a list."""
NAMED_BEFORE = REPORTS | HAVING
"""Words that end a negation after the first finding."""
BEGINNERS = SUBJECTS | RELATIVES | _words("suggesting")
"""Words that begin a new clause after a comma or "and"."""
AFTER_AN_ANSWER = SUBJECTS | OWNERS | ENDS
"""Words after a "no" that is an answer: "no, I have ..."."""
ENDS_BACKWARDS = ENDS | REPORTS
"""Words that end the scope of a negation that reaches back."""
KIN = RELATIVES | BESIDE_RELATIVES
DENIALS = frozenset().union(BEFORE, AFTER, ALL, HEADING, PSEUDO)
"""First words of what may deny."""
DOUBTS = POSSIBLE.union({"should"}, CONDITION, CONDITION_AFTER, DOUBT_OF)
"""First words of what may make a finding hypothetical."""
