"""What the readers of `sentence_models.py` see of a sentence, and what the train drafts tell of it.

Names are masked. The words that a draft puts into a phrase are known by their kind (cells,
tissue, phenotype, ...), and whether they belong to the organ system of the article. A code name is
resolved by the sentence that explains it. Numbers are compared with one another.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, pairwise
from typing import NamedTuple

from gym_clinic.domains.clingen.reader import split_sentences
from gym_clinic.domains.clingen.simulator import Draft, PlannedFinding, write
from gym_clinic.domains.clingen.simulator.tellings import Teller
from gym_clinic.facts.phrases import ParsedPhrase
from gym_clinic.simulate.writer import Writer

KINDS = {name: name for name in (
    "cells", "culture", "defect", "feature", "func", "line", "marker", "models", "one", "young",
    "pheno", "process", "tissue",
)} | {"off": "tissue", "dis": "complaint", "unrelated": "complaint"}  # fmt: skip
"""Fact of a finding -> the kind of words under which it is masked."""

OF_NO_SYSTEM = {"models", "one", "young", "line", "off", "dis", "unrelated"}
READ = ("abstract", "results", "discussion")
"""Places that are read; the others only to resolve codes."""

NOISE = re.compile(
    r"\([^)]*(?:Fig\.|Figure|Table|refs?\.)[^)]*\)|(?:Fig\.|Figure|Table|[Rr]efs?\.) ?\d+"
)
SYMBOL = re.compile(r"(?<![\w-])(?:[A-Z][A-Z0-9]+(?:-?[A-Z0-9]+)*(?:orf\d+)?|C\d+orf\d+)(?!\w)")

Phrase = tuple[str, int]
"""A pool of phrases and a place in it."""


class Finding(NamedTuple):
    """What a sentence tells, known from the draft.

    Attributes:
        label: Subtype after + or -, "hint." and a category, "idle", or "none".
        owner: Whose result: "own", or the status of a finding that does not count.
        phrases: The phrases it was written with.
    """

    label: str
    owner: str
    phrases: tuple[Phrase, ...] = ()


class Sentence(NamedTuple):
    """A sentence as the models see it: its place and masked words, and its comparisons."""

    place: str
    text: str
    words: list[str]
    compared: list[str]


class _Noting(Writer):
    """A writer that notes the phrases it picks."""

    picked: list[Phrase]

    def pick(self, pool: str) -> ParsedPhrase:
        phrase = super().pick(pool)
        self.picked.append((pool, self.grammar[pool].index(phrase)))
        return phrase


class _Told(Teller):
    """A teller that keeps what it stated of a finding, and with which phrases."""

    def writer(self, index: int, part: str) -> Writer:
        plain = super().writer(index, part)
        writer = _Noting(plain.grammar, plain.rng, plain.facts, hold_back=plain.hold_back)
        self.stated, self.picked = "", list[Phrase]()
        writer.picked = self.picked
        return writer

    def statement(self, writer: Writer, finding: PlannedFinding) -> str:
        self.stated = super().statement(writer, finding)
        self.used = tuple(self.picked)
        if any(pool.startswith("passage.") for pool, _ in self.used):  # its clause is not used
            self.used = tuple(one for one in self.used if one[0].startswith("passage."))
        return self.stated


def told_sentences(draft: Draft) -> dict[tuple[bool, str], Finding]:
    """Return (whether in the abstract, sentence) -> what it tells, for all findings."""
    teller, told = _Told(draft), dict[tuple[bool, str], Finding]()
    for index, finding in enumerate(draft.findings):
        status = finding.status
        label = ("-" if status == "negative" else "+") + finding.subtype
        owner = "own" if status in ("shown", "negative", "withdrawn") else status
        if status in ("planned", "technique"):
            label = owner = "idle"
        chunks = teller.in_full(index)
        used = teller.used if teller.stated else tuple(teller.picked)
        for sentence in split_sentences(teller.stated or chunks[0][1]):
            told[False, sentence] = Finding(label, owner, used)
        for _, text in chunks[1:]:
            for sentence in split_sentences(text):
                told[False, sentence] = Finding(label, "withdrawn", tuple(teller.picked))
        if finding.mode != "silent":
            sentences = split_sentences(teller.in_abstract(index))
            if finding.mode == "hint":
                label, owner = f"hint.{finding.category}", "idle"
            elif status == "withdrawn":
                owner = status
            for sentence in sentences[: 1 if status == "elsewhere" else None]:
                told[True, sentence] = Finding(label, owner, tuple(teller.picked))
    return told


class Masks:
    """Names and words to mask, learned from drafts.

    Args:
        drafts: The drafts of the train split.
    """

    def __init__(self, drafts: Sequence[Draft]) -> None:
        self._kind: dict[str, str] = {}
        self._systems: dict[str, set[str]] = defaultdict(set)
        codes, symbols = set[str](), set[str]()
        for draft in drafts:
            teller = Teller(draft)
            codes.update(teller.codes.values())
            symbols.add(draft.gene)
            for finding, facts in zip(draft.findings, teller.facts, strict=True):
                symbols |= {finding.gene, *finding.partners}
                for slot, kind in KINDS.items():
                    words = facts.get(slot)
                    if not isinstance(words, str):
                        continue
                    self._kind.setdefault(words.lower(), kind)
                    if slot not in OF_NO_SYSTEM and finding.status != "elsewhere":
                        self._systems[words.lower()].add(draft.system)
        self._known = re.compile(rf"(?<!\w){_any_of(self._kind)}(?!\w)", re.IGNORECASE)
        self._code = re.compile(rf"(?<![\w-]){_any_of(codes)}(?![\w-])", re.IGNORECASE)
        texts = (write(draft).full_text for draft in drafts)
        # What is written in capitals in train and is no gene of train, such as DNA.
        self._plain = {word for text in texts for word in SYMBOL.findall(text)} - symbols

    def read(self, gene: str, disease: str, parts: Iterable[tuple[str, str]]) -> list[Sentence]:
        """Return the masked sentences of an article, those in `READ`.

        Args:
            gene: Its gene.
            disease: Its disease.
            parts: Heading and text of the abstract and of each section.
        """
        split = [(place_of(head), one) for head, text in parts for one in split_sentences(text)]
        codes = self._codes(gene, [text for _, text in split])
        kept = [(place, text) for place, text in split if place in READ]
        votes = Counter[str]()
        for _, text in kept:
            for words in self._known.findall(text):
                votes.update(self._systems.get(words.lower(), ()))
        system = max(votes, key=votes.__getitem__, default="")
        own = re.compile(rf"(?<![A-Za-z0-9]){re.escape(gene)}(?![A-Za-z0-9])")

        def known(found: re.Match[str]) -> str:
            systems = self._systems.get(found[0].lower(), {system})
            away = "" if system in systems else "x"
            return f"Slot{away}{self._kind[found[0].lower()]}"

        sentences = []
        for place, text in kept:
            masked = self._code.sub(lambda code: codes.get(code[0].lower(), code[0]), text)
            masked = re.sub(re.escape(disease), "Disname", masked, flags=re.IGNORECASE)
            masked = SYMBOL.sub(
                lambda name: name[0] if name[0] in self._plain else "Othergene",
                own.sub("Owngene", masked),
            )
            masked = self._known.sub(known, masked)
            sentences.append(Sentence(place, text, _words(masked), list(_compared(masked))))
        return sentences

    def _codes(self, gene: str, sentences: Sequence[str]) -> dict[str, str]:
        """Code name -> gene, from a sentence that gives two codes and two genes in one order."""
        for text in sentences:
            codes = list(dict.fromkeys(code.lower() for code in self._code.findall(text)))
            if len(codes) == 2 and gene in text:
                bare = self._code.sub(" ", text)
                genes = [one for one in SYMBOL.findall(bare) if one not in self._plain]
                if len(set(genes)) == 2 and gene in genes:
                    own = genes.index(gene) > 0
                    return {codes[own]: gene, codes[not own]: "OTHER9"}
        return {}


def place_of(heading: str) -> str:
    """Return the place that a heading names; all results are one."""
    return "results" if heading.lower().startswith("results") else heading.lower()


def features(sentences: Sequence[Sentence], number: int) -> list[str]:
    """Return the features of a sentence: its words, and those of its neighbours in its section."""
    one = sentences[number]
    kinds = [word for word in one.words if word[0].isupper() or word in ("no", "not", "num")]
    found = [f"@{one.place}", *_grams(["^", *one.words, "$"]), *one.compared]
    found += [f"kind:{gram}" for gram in _grams(kinds)]
    found += [f"both:{a} {b}" for a, b in combinations(sorted(set(kinds)), 2)]
    long = [word for word in one.words if len(word) > 5 and word.islower()]
    found += [f"part:{word[at : at + 5]}" for word in long for at in range(len(word) - 4)]
    for step in (-1, 1, 2):
        if 0 <= number + step < len(sentences) and sentences[number + step].place == one.place:
            beside = sentences[number + step]
            found += [f"{step}:{word}" for word in (*beside.words, *beside.compared)]
    return found


def _grams(words: Sequence[str]) -> list[str]:
    return [*words, *(f"{a} {b}" for a, b in pairwise(words))]


def _words(text: str) -> list[str]:
    text = re.sub(r"\d+(?:\.\d+)?", " num ", text)
    found = re.findall(r"[A-Za-z]+(?:-[A-Za-z]+)*|[?:;(%]", text)
    masks = ("Owngene", "Othergene", "Disname")
    return [one if one in masks or one.startswith("Slot") else one.lower() for one in found]


def _compared(text: str) -> Iterator[str]:
    """Which of two numbers is larger, or whether they are alike, for all pairs."""
    bare = NOISE.sub(" ", text)
    parts = [int(a) / max(int(b), 1) for a, b in re.findall(r"(\d+) of (\d+)", bare)]
    if len(parts) == 2:
        yield "shares" + ("~" if abs(parts[0] - parts[1]) < 0.16 else "<>"[parts[0] > parts[1]])
    numbers = [float(one) for one in re.findall(r"(?<![\w.-])\d+(?:\.\d+)?", bare)][:6]
    for (i, a), (j, b) in combinations(enumerate(numbers), 2):
        alike = abs(a - b) <= 2 or min(a, b) > 0.95 * max(a, b)
        relation = "~" if alike else "<>"[a > b]
        yield from (f"{i}{relation}{j}", f"{len(numbers)}:{i}{relation}{j}")


def _any_of(words: Iterable[str]) -> str:
    """A pattern of any of the words, the longest first, branching letter by letter."""
    heads: dict[str, list[str]] = defaultdict(list)
    for word in words:
        heads[word[:1].lower()].append(word[1:])
    branches = [
        re.escape(head) + (_any_of(heads[head]) if any(heads[head]) else "") if head else ""
        for head in sorted(heads, reverse=True)
    ]
    return f"(?:{'|'.join(branches)})"
