"""Plain sentences from facts: names inside a sentence, lists, and a choice that is always the same.

Nothing here needs agreement of number: lists stand after a verb in the plural sense ("many have")
before another ("speak for it") or after a colon.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence

_PROPER = frozenset({
    "Addison", "Alagille", "Alport", "Alvarado", "Alzheimer", "Angelman", "Apgar", "Babinski",
    "Barrett", "Bartter", "Becker", "Behcet", "Bell", "Bishop", "Boerhaave", "Borrelia",
    "Braden", "Brucella", "Brugada", "Budd", "Buerger", "Canadian", "Caprini", "Charcot",
    "Charlson", "Chlamydia", "Chvostek", "Clostridioides", "Clostridium", "Columbia", "Coombs",
    "Crohn", "Cushing", "Down", "Duchenne", "Edinburgh", "Entamoeba", "Epstein", "Ewing",
    "Fabry", "Fallot", "Fanconi", "Friedreich", "Gaucher", "Giardia", "Gilbert", "Gitelman",
    "Glasgow", "Goodpasture", "Gottron", "Gowers", "Graves", "Guillain", "Hamilton",
    "Hashimoto", "Hirschsprung", "Hodgkin", "Holt", "Horner", "Huntington", "Hurler", "Janeway",
    "Kaposi", "Kawasaki", "Klinefelter", "Koplik", "Kussmaul", "Lambert", "Leigh", "Lewy",
    "Lisch", "Lyme", "Maddrey", "Mallory", "Marfan", "McIsaac", "Meniere", "Morse", "Murphy",
    "Niemann", "Noonan", "Osler", "Ottawa", "Padua", "Paget", "Parkinson", "Perthes", "Phoenix",
    "Pneumocystis", "Pompe", "Prader", "Ramsay", "Raynaud", "Rett", "Reye", "Salmonella",
    "Sjogren", "Takayasu", "Takotsubo", "Tourette", "Toxoplasma", "Treponema", "Trichomonas",
    "Turner", "Usher", "Weill", "Wells", "Wernicke", "Williams", "Wilson", "Wolff", "Zika",
    "Zollinger",
})  # fmt: skip
"""First words of names that keep their capital inside a sentence."""

_AMERICAN = tuple(
    (re.compile(british), spelling)
    for british, spelling in (
        ("aem(?!ost$)", "em"),
        ("aesth", "esth"),
        ("paed(?!iatr$)", "ped"),
        ("caec", "cec"),
        ("faec", "fec"),
        ("gynaec", "gynec"),
        ("phaeo", "pheo"),
        ("praevia", "previa"),
        ("^coeliac", "celiac"),
        ("^oe(d|soph|str)", r"e\1"),
        ("(lymph|papill|myx)oedema", r"\1edema"),
        ("(rrh|apn|spn|orthopn)oe", r"\1e"),
        ("^amoeb", "ameb"),
        ("foet", "fet"),
        ("(tum|col|lab|vap|hum|behavi|fav)our", r"\1or"),
        ("goitre", "goiter"),
        ("(cent|lit|fib|met|tit)re$", r"\1er"),
        ("(rot|ral|loc|immun)is(ed|ing|ation)", r"\1iz\2"),
        ("neurone", "neuron"),
        ("sulph", "sulf"),
    )
)
"""British spellings -> American ones, inside a word in small letters."""

_AMERICAN_NAMES = {
    "aciclovir": "acyclovir",
    "adrenaline": "epinephrine",
    "ciclosporin": "cyclosporine",
    "flucloxacillin": "floxacillin",
    "glibenclamide": "glyburide",
    "noradrenaline": "norepinephrine",
    "paracetamol": "acetaminophen",
    "pethidine": "meperidine",
    "rifampicin": "rifampin",
    "salbutamol": "albuterol",
}
"""Names of drugs -> American ones."""


def inside(name: str) -> str:
    """Return a name as it stands inside a sentence; proper names and initials keep their capital.

    >>> inside("Chest pain"), inside("Crohn disease"), inside("X-linked rickets")
    ('chest pain', 'Crohn disease', 'X-linked rickets')
    >>> inside("Alpha-1 antitrypsin deficiency"), inside("Down-sloping shoulders"), inside("HbA1c")
    ('alpha-1 antitrypsin deficiency', 'down-sloping shoulders', 'HbA1c')
    """
    first = name.split(" ", 1)[0]
    head, *rest = re.split("[-/]", first)
    stem = head.removesuffix("'s").rstrip(",")
    # "Down syndrome" and "Budd-Chiari", but not "Down-sloping".
    proper = stem in _PROPER and (not rest or rest[0][:1].isupper())
    # "Alpha-1" and "Anti-CCP" begin with a word, "HbA1c" and "X-linked" do not; "A" is the article.
    word = head == "A" or (len(head) > 1 and head[1:].islower())
    return name[0].lower() + name[1:] if word and not proper else name


def american(text: str) -> list[str]:
    """Return the American forms of the British words of a text that it does not have itself.

    >>> american("Haemolytic anaemia, and angioedema after adrenaline; hemolytic shock")
    ['anemia', 'epinephrine']
    """
    words = re.findall(r"[a-z]+", text.casefold())
    known = set(words)
    forms = {word: _AMERICAN_NAMES.get(word, word) for word in words}
    for british, spelling in _AMERICAN:
        forms = {word: british.sub(spelling, form) for word, form in forms.items()}
    return list(dict.fromkeys(form for form in forms.values() if form not in known))


def opening(text: str) -> str:
    """Return a text with a capital at its beginning."""
    return text[0].upper() + text[1:]


def listed(items: Sequence[str]) -> str:
    """Join the items of a list; those with commas of their own are parted by semicolons.

    >>> listed(["fever", "cough", "chest pain"]), listed(["a, b", "c"])
    ('fever, cough and chest pain', 'a, b; and c')
    """
    if len(items) < 2:
        return "".join(items)
    if any("," in item or " and " in item for item in items):
        return "; ".join(items[:-1]) + "; and " + items[-1]
    return ", ".join(items[:-1]) + " and " + items[-1]


def pick(options: Sequence[str], key: str) -> str:
    """Choose one of several wordings; the same key chooses the same one on every machine."""
    digest = hashlib.sha256(key.encode()).digest()
    return options[int.from_bytes(digest[:4], "big") % len(options)]
