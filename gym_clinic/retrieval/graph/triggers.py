"""Words that mark negation, another person or a hypothesis; see ``context.py``.

Apostrophes and hyphens are written as blanks, as in :mod:`words`: "doesn't" is "doesn t".

Source:
    The kinds of lists are those of NegEx (Chapman et al., J Biomed Inform 2001, 34:301-310) and
    ConText (Harkema et al., J Biomed Inform 2009, 42:839-851); the lists are this project's.
"""

from __future__ import annotations

from gym_clinic.retrieval.graph.words import MINUS, PLUS, word_set

Phrases = dict[str, list[tuple[str, ...]]]


def phrases(text: str) -> Phrases:
    """Return comma-separated phrases by their first word, the longest first."""
    found: Phrases = {}
    for phrase in text.split(","):
        words = tuple(phrase.split())
        found.setdefault(words[0], []).append(words)
    return {first: sorted(alike, key=len, reverse=True) for first, alike in found.items()}


BEFORE = phrases(
    "no, not, never, without, nor, neither, none of, denies, denied, deny, denying, no longer, "
    "negative for, absence of, lack of, lacks, lacking, free of, free from, ruled out, unlikely, "
    "declines, resolved, doesn t, don t, didn t, hasn t, haven t, hadn t, isn t, wasn t, aren t, "
    "weren t, doesnt, dont, didnt, hasnt, havent, hadnt, isnt, wasnt, arent, werent, "
    "not think, don t think, doesn t think, didn t think, not believe, don t believe, "
    f"dont think, {MINUS}"
)
"""Negations of the words that follow."""

AFTER = phrases(
    "absent, ruled out, excluded, not present, not seen, not noted, not observed, not found, "
    "not reported, not there, isn t present, isn t there, denied, negative, unlikely, no, none, "
    "has stopped, have stopped, went away, gone away, no longer present, no longer there, "
    f"resolved, gone, subsided, disappeared, cleared, settled, abated, {MINUS}"
)
"""Negations of the preceding words, at the end of a clause."""

ENDED = word_set("resolved gone subsided disappeared cleared settled abated")
"""Those that need not end their clause: "resolved after a week"."""

PSEUDO = phrases(
    "no increase, no change, no improvement, no relief, no response, no better, no worse, "
    "no doubt, no matter, no idea, not only, not just, not sure, not certain, not necessarily, "
    "not improving, not improved, not improve, not relieved, not resolved, not resolving, "
    "not responding, not respond, not responded, not controlled, not better, not getting better, "
    "not going away, not gone away, not go away, not gone, not settled, not settling, not stopped, "
    "not cleared, not clearing, not subsided, not disappeared, not stop, not fully resolved, "
    "not completely resolved, not yet resolved, not rule out, not ruled out, not been ruled out, "
    "not excluded, not been excluded, not explained, not helped, not help, not without, "
    "not absent, not deny, not denied, not denying, never denied, cannot deny, can t deny, "
    "doesn t deny, don t deny, didn t deny, not free of, never without, never stops, "
    "never stopped, never resolved, never cleared, never went away, never goes away, "
    "partially resolved, partly resolved, almost resolved, nearly resolved, almost gone, "
    "nearly gone, without relief, without improvement, without warning, don t know, doesn t know, "
    "doesn t help, didn t help, hasn t helped, hasn t improved, isn t improving, "
    "isn t getting better, isn t going away, won t go away, hasn t gone away, doesn t go away, "
    "don t go away, didn t go away, hasn t stopped, haven t stopped, didn t stop, doesn t stop, "
    "don t stop, hasn t resolved, haven t resolved, hasn t cleared, haven t cleared, "
    "hasn t gone, haven t gone, hasn t subsided, hasn t settled, isn t gone, aren t gone"
)
"""Pseudo-negations: they negate no symptom."""

CONDITION = phrases(
    "if, unless, in case of, in the event of, should you, should he, should she, should they, "
    "return for, return with, come back with, come back for, watch for, watch out for, "
    "look out for, monitor for, screen for, evaluate for, at risk of, at risk for, risk of, "
    "risk for, fear of, afraid of, worried about, to prevent, prevention of, rule out, r o, "
    "to exclude, as needed for"
)
"""The words that follow are hypothetical."""

FAMILY = phrases(
    "family history, family hx, fam hx, fhx, fh, no one else, nobody else, someone else"
)
"""What makes another's what follows."""

RELATIVES = word_set(
    "mother mum mom mama father dad papa parent parents sister sisters brother brothers sibling "
    "siblings son sons daughter daughters aunt aunts uncle uncles cousin cousins nephew niece "
    "grandmother grandfather grandparents grandma grandpa husband wife partner relative relatives "
    "family"
)
BESIDE_RELATIVES = word_set(
    "and or also both all his her my their the a an s older younger elder twin maternal paternal "
    "who once always"
)
"""What may stand between a relative and what the relative has, or before one."""

SUFFERS = word_set("has had have having with suffers suffered gets got developed died experienced")
"""What a relative does who has something; one who "reports" or "brought him" has nothing."""

ENDS = word_set(
    "but however although though nevertheless except yet despite because due secondary owing "
    f"whereas while instead apart aside besides otherwise {PLUS}"
)
"""What ends every scope."""

REPORTS = word_set(
    "presents presented presenting reports reported reporting complains complained complaining "
    "endorses endorsed admits developed develops notes noted describes positive remains"
)
"""What begins something new once something was denied: "no fever, complains of a cough"."""

HAVING = word_set("has have had having is are was were feels feel felt")
"""Likewise: "no fever and has a cough"."""

SUBJECTS = word_set("i he she they we it you there patient with")
"""What begins something new after a comma or "and"."""

VERBS = HAVING | word_set(
    "began begins started starts persists persisted continues continued worsened worsens "
    "appeared occurred lasts lasted came"
)
TIMES = word_set(
    "since yesterday today tonight ago overnight lately day days week weeks month months year "
    "years hour hours monday tuesday wednesday thursday friday saturday sunday"
)
"""With a verb, what makes a clause of what stands between two commas."""

COUNTING = word_set("two three four five six so more less")
"""What follows an "or" that joins no symptoms: "for a day or two"."""

FILLING = word_set(
    "a an the any of in on at to for my his her their your our its this that these those "
    "been be being ever also had have has he she i they patient is was are were evidence sign "
    "signs symptom symptoms history complaint complaints longer other new known"
)
"""Words between a negation and the finding that it negates."""

REACH = 40
"""Most words of a scope that reaches back; it bounds the time for any text."""

BESIDE_AT_MOST = 6
"""Most words between a relative and the finding."""

YES = word_set("yes yeah yep yup correct definitely indeed")
NO = word_set("no nope nah never none not neither")
OPEN = word_set("when how where why what which who whose")
"""First words of a question about a present finding: "How long have you had it?"."""

AN_ITEM_HAS_NO = VERBS | TIMES | ENDS | REPORTS | SUBJECTS
"""Words that do not occur in an item of a list."""

NAMED_BEFORE = REPORTS | HAVING
"""Words that end a negation after the first finding."""

BEGINNERS = SUBJECTS | RELATIVES | word_set("consistent suggesting suggestive indicating")
"""Words that begin a new clause after a comma or "and"."""

AFTER_AN_ANSWER = SUBJECTS | ENDS
"""Words after a "no" that is an answer: "no, I have ..."."""

ENDS_BACKWARDS = ENDS | REPORTS
"""Words that end the scope of a negation that reaches back."""

KIN = RELATIVES | BESIDE_RELATIVES
