"""A line of a medicine chart, read: drugs, dose, form, route, how often, what for, what is left.

"WARFARIN 5 MG PO DAILY", "metoprolol succ ER 50mg qd", "lisinopril-HCTZ 20-12.5". Nothing is
guessed: a word that no table knows is left over, and a name that none knows names no drug.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache

from gym_clinic.facts.drug_names import (
    NamedDrug,
    NameScan,
    NameWord,
    known_names,
    salts,
    scan_names,
)
from gym_clinic.facts.medicine_patterns import (
    NUMBER,
    amount_pattern,
    by_letters,
    letters_of,
    names_with_digits,
    time_patterns,
)
from gym_clinic.facts.medicine_words import MedicineWords, Route, medicine_words
from gym_clinic.facts.records.drugs import plain_name

MAX_CHARACTERS = 300
"""Characters of a line that is read; a longer one is left over as a whole."""

MAX_INDICATION_WORDS = 8
"""Words that a line says a medicine is for, at most."""

_MARKS = re.compile(r"[()\[\]®™;\"|!]+")
_COMPARED = re.compile(r"[<>=*?~≤≥]")
_SEPARATOR = re.compile(r"[/+,&]")
_DOTTED = re.compile(
    r"(?<![\w.])(?:[a-z]\.){2,}(?=\W|$)|(?<![\w.])(?:[a-z]\.)+[a-z](?![\w.])"
    r"|(?<![\w.])q\.\s?\d+\.?\s?h\.?(?!\w)"
)
_BARE = re.compile(rf"(?<![\w.,/%-])#?(?:{NUMBER})(?: ?[/-] ?(?:{NUMBER}))*(?![\w%])")
_FOR = re.compile(r"(?<![\w-])for(?![\w-])")
_HELD = 0xE100  # private characters stand for names with digits while numbers are read


@dataclass(frozen=True)
class Quantity:
    """An amount in a line.

    Attributes:
        value: The number; the greater one of a range.
        unit: Its unit, such as "mg" or "tablets"; None where the line gives none.
        per: What it is per, such as ("kg", "day"); empty where it is an amount alone.
        least: The smaller number of a range; None where it is none.
    """

    value: float
    unit: str | None = None
    per: tuple[str, ...] = ()
    least: float | None = None


@dataclass(frozen=True)
class MedicineText:
    """What a line of a medicine chart says.

    Attributes:
        drugs: Ids of the drugs that it names.
        form: The form or salt that the facts have limits or rules for, or else the short name of a
            form, such as "er".
        strengths: Strengths of a product, as in "20-12.5" or "250 mg/5 mL".
        dose: The amount of one time; None where the line says none.
        route: Its route, or the one that its form implies.
        manner: "push", "bolus" or "infusion"; None where the line does not say it.
        per_day: Times a day; None where the line does not say it.
        prn: Whether it is given when needed.
        indication: What it is for, as written.
        left_over: Words that nothing knows.
        named: The drug as `resolve` returns it; None where a drug is not known or words are left.
    """

    drugs: tuple[str, ...] = ()
    form: str | None = None
    strengths: tuple[Quantity, ...] = ()
    dose: Quantity | None = None
    route: str | None = None
    manner: str | None = None
    per_day: float | None = None
    prn: bool = False
    indication: str | None = None
    left_over: tuple[str, ...] = ()
    named: NamedDrug | None = None


@lru_cache(maxsize=8192)
def parse_medicine(text: str) -> MedicineText:
    """Read a line of a medicine chart.

    >>> read = parse_medicine("metoprolol succ ER 50mg PO qd")
    >>> read.drugs, read.form, read.dose.value, read.dose.unit, read.route, read.per_day
    (('metoprolol',), 'metoprolol succinate', 50.0, 'mg', 'po', 1.0)
    >>> parse_medicine("moonwort 5 mg bid").left_over
    ('moonwort',)
    """
    whole = known_names().get(plain_name(text))
    if whole is not None:
        return MedicineText(whole.ingredients, whole.form, route=whole.route, named=whole)
    if len(text) > MAX_CHARACTERS:
        return MedicineText(left_over=(text[:MAX_CHARACTERS],))
    return _MedicineLine(text).read()


@dataclass
class _MedicineLine:
    """A line while it is read: each step takes its part out of the text."""

    text: str
    amounts: list[Quantity] = field(default_factory=list)
    per_day: float | None = None
    prn: bool = False
    indication: str | None = None
    held: list[str] = field(default_factory=list)

    def read(self) -> MedicineText:
        known = medicine_words()
        text = unicodedata.normalize("NFKC", self.text).casefold()
        text = _DOTTED.sub(lambda dotted: dotted[0].replace(".", ""), text)
        text = self._hold_names(known.diluent.sub(" ", text.replace("_", " ")))
        text = _COMPARED.sub(r" \g<0> ", _MARKS.sub(" ", text))
        for pattern, short in known.phrases:
            text = pattern.sub(short, text)
        text = self._take_times(text)
        text = self._take_amounts(text, known)
        head, reason = self._split_reason(text, known)
        words = self._words(_SEPARATOR.sub(" / ", head), known)
        return self._result(words, self._read_reason(reason, known), known)

    def _hold_names(self, text: str) -> str:
        """Replace names that hold digits, such as "5-ASA", by a character each."""

        def hold(name: re.Match[str]) -> str:
            self.held.append(by_letters()[letters_of(name[0])])
            return f" {chr(_HELD + len(self.held) - 1)} "

        return names_with_digits().sub(hold, text)

    def _take_times(self, text: str) -> str:
        """Take out how often and for how long."""
        every, times, spans = time_patterns()
        known = medicine_words()
        for found in every.finditer(text):
            hours = known.hours[known.units[found["unit"] or "h"]]
            every_so_many = float(found["least"] or found["number"] or 1)
            if every_so_many:
                self._often(24 / (every_so_many * hours))
        for found in times.finditer(text):
            of = {"daily": "day", "weekly": "week"}.get(found["of"]) or known.units[found["of"]]
            self._often(_number(found["times"], known) * 24 / known.hours[of])
        for pattern in (every, times, spans):
            text = pattern.sub(" ", text)
        return text

    def _often(self, per_day: float) -> None:
        self.per_day = per_day if self.per_day is None else self.per_day

    def _take_amounts(self, text: str, known: MedicineWords) -> str:
        """Take out amounts with their units, then numbers alone."""

        def take(found: re.Match[str]) -> str:
            unit = known.units[found["unit"]]
            if unit in known.times:
                return " "  # how long
            scale = 1e6 if found["million"] else 1.0
            low, high = found["number"], found["most"]
            per = tuple(
                known.units[part] for part in re.findall(r"[a-zμ%]+\^?2?", found["per"] or "")
                if part in known.units
            )  # fmt: skip
            value = _number(high or low, known) * scale
            least = _number(low, known) * scale if high else None
            self.amounts.append(Quantity(value, unit, per, least))
            return " "

        text = amount_pattern().sub(take, text)

        def take_bare(found: re.Match[str]) -> str:
            for number in re.findall(NUMBER, found[0]):
                self.amounts.append(Quantity(float(number.replace(",", ""))))
            return " "

        return _BARE.sub(take_bare, text)

    def _split_reason(self, text: str, known: MedicineWords) -> tuple[str, str]:
        """The text before "prn" or "for", and what stands behind it; all of it where none does."""
        head, reason = text, ""
        needed = re.search(
            rf"(?<![\w-])(?:{'|'.join(sorted(known.as_needed))})(?![\w-])", head
        )  # the phrases were shortened before
        if needed is not None:
            self.prn = True
            before, after = head[: needed.start()], head[needed.end() :]
            head, reason = (before, after) if before.strip(" ,/-") else (after, "")
        if (purpose := _FOR.search(head)) is not None and head[: purpose.start()].strip(" ,/-"):
            head, reason = head[: purpose.start()], f"{head[purpose.end() :]} {reason}"
        return head, reason

    def _read_reason(self, reason: str, known: MedicineWords) -> tuple[NameWord, ...]:
        """Take what a medicine is for; what is none is returned as words of the line.

        A reason that denies something, or names another drug, belongs to the line.
        """
        words = self._words(_FOR.sub(" ", reason), known)
        texts = [word.text for word in words]
        strange = (place for place, text in enumerate(texts) if not self._is_beside(text, known))
        start = next(strange, len(words))
        said = words[start:]
        names_a_drug = scan_names(said, known.beside | known.forms.keys()).ingredients
        denied = known.denials.intersection(texts)
        if names_a_drug or denied or len(said) > MAX_INDICATION_WORDS:
            return tuple(words)
        self.indication = " ".join(texts[start:]) or None
        return tuple(words[:start])

    def _is_beside(self, word: str, known: MedicineWords) -> bool:
        """Whether a word stands beside names: a route, a form, how often, or a filler."""
        return word in known.beside or word in known.forms

    def _words(self, text: str, known: MedicineWords) -> list[NameWord]:
        """The words of a text; those of the names that were held are names again."""
        words, apart = list[NameWord](), False
        for raw in re.split(r"[\s-]+", text):
            part = raw.strip(".'’`#\\")
            if raw == "/" or part in known.separators:
                apart = True
            elif part:
                held = ord(part) - _HELD if len(part) == 1 else -1
                name = (
                    self.held[held] if 0 <= held < len(self.held) else known.short.get(part, part)
                )
                for number, piece in enumerate(plain_name(name).split()):
                    words.append(NameWord(piece, apart and number == 0))
                apart = False
        return words

    def _result(
        self, words: list[NameWord], rest: tuple[NameWord, ...], known: MedicineWords
    ) -> MedicineText:
        scan = self._scan(words, known)
        of_name, left = scan.ingredients, scan.left
        first = words[0].text if words else ""
        named_first = first in known.beside and of_name == _single(first)
        beside = [word.text for word in (*words[named_first:], *rest)]
        strange = (word.text for word in rest if not self._is_beside(word.text, known))
        left = (*left, *strange)
        route, manner, implied = _way(beside, known)
        for word in beside:
            if word in known.often:
                self._often(known.often[word])
        of_words = next(
            (known.form_names[word] for word in beside if word in known.form_names), None
        )
        complete = bool(of_name) and not left
        strengths, dose = _dose(self.amounts, known)
        return MedicineText(
            drugs=of_name, form=scan.form or of_words, strengths=strengths, dose=dose,
            route=route or implied, manner=manner, per_day=self.per_day, prn=self.prn,
            indication=self.indication, left_over=left,
            named=NamedDrug(of_name, scan.form, route or implied) if complete else None,
        )  # fmt: skip

    def _scan(self, words: list[NameWord], known: MedicineWords) -> NameScan:
        """The names among the words, in the reading that leaves least over.

        A route or form is a name only where nothing else is: "INH 300 mg" is isoniazid.
        """
        best: NameScan | None = None
        for kept in _attempts(words, known):
            for no_names in (known.beside | known.forms.keys(), frozenset[str]()):
                scan = scan_names(kept, no_names)
                left = tuple(word for word in scan.left if not self._is_beside(word, known))
                if best is None or scan.is_better_than(best, len(left)):
                    best = scan._replace(left=left)
                if scan.ingredients:
                    break
            if best is not None and best.ingredients and not best.left:
                break
        assert best is not None  # there is always a first attempt
        return best


def _single(word: str) -> tuple[str, ...]:
    """What a word alone names."""
    known = known_names().get(word)
    return known.ingredients if known is not None else ()


def _attempts(words: list[NameWord], known: MedicineWords) -> Iterator[list[NameWord]]:
    """The words as they are, without routes and times, without forms, and without salts."""
    yield words
    for dropped in (known.beside, known.forms.keys(), salts()):
        words = [word for word in words if word.text not in dropped]
        yield words


def _way(words: list[str], known: MedicineWords) -> tuple[str | None, str | None, str | None]:
    """The route and manner that words give, and the route that their form implies."""
    way, implied = Route(None), None
    for word in words:
        if word in known.with_manner and way.name in (None, known.with_manner[word][0]):
            way = Route(*known.with_manner[word])
        elif word in known.manners:
            way = Route(way.name, way.manner or known.manners[word])
        elif word in known.routes:
            way = Route(way.name or known.routes[word], way.manner)
        implied = implied or known.forms.get(word) or None
    return way.name, way.manner, implied


def _dose(
    amounts: list[Quantity], known: MedicineWords
) -> tuple[tuple[Quantity, ...], Quantity | None]:
    """The strengths of a product, and the amount of one time."""
    of_volume = [
        amount
        for amount in amounts
        if amount.unit == "%" or {"mL", *known.counts}.intersection(amount.per)
    ]
    bare = [amount for amount in amounts if amount.unit is None]
    strengths = of_volume + (bare if len(bare) > 1 else [])
    doses = [amount for amount in amounts if amount not in strengths]
    if not doses:
        return tuple(strengths), None
    first = doses[0]
    count = next((dose for dose in doses[1:] if dose.unit in known.counts), None)
    if count is not None and first.unit is not None and first.unit not in known.counts:
        least = None if count.least is None else first.value * count.least
        return (*strengths, first), Quantity(first.value * count.value, first.unit, (), least)
    return tuple(strengths), first


def _number(text: str, known: MedicineWords) -> float:
    text = known.numbers.get(text, text).replace(",", "")
    above, _, below = text.partition("/")
    return float(above) / float(below) if below and float(below) else float(above)
