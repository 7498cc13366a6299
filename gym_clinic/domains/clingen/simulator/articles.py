"""Articles on a gene and a disease, written from a plan: the same draft, the same text.

`write` turns a draft into title, abstract, full text and a curator's summary of every piece of
evidence. All of it is invented; ids, years and numbers stand for nothing real.

    >>> from gym_clinic.domains.clingen.simulator.drafts import Finding
    >>> draft = Draft("ABCD1", "adrenoleukodystrophy", 2019, "neuro", "demo", (Finding(
    ...     "physical_association", "shown", "explicit", 0, "", ("PEX5", "PEX7")),))
    >>> article = write(draft)
    >>> article == write(draft.to_json()), "ABCD1" in article.title, list(article.summaries)
    (True, True, ['physical_association'])
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from gym_clinic.domains.clingen.simulator.drafts import Draft, Genetics
from gym_clinic.domains.clingen.simulator.phrases_findings import CLAUSES
from gym_clinic.domains.clingen.simulator.phrases_genetics import GENETIC_SUMMARY, GENETICS
from gym_clinic.domains.clingen.simulator.phrases_methods import DRESS, METHOD, TOPIC
from gym_clinic.domains.clingen.simulator.phrases_neutral import NEUTRAL
from gym_clinic.domains.clingen.simulator.phrases_status import FRAMES
from gym_clinic.domains.clingen.simulator.phrases_systems import SYSTEMS
from gym_clinic.domains.clingen.simulator.scenes import LOOSE
from gym_clinic.domains.clingen.simulator.tellings import Teller
from gym_clinic.simulate.grammar import Scribe, capitalise, punctuate

ABSTRACT_WORDS = (120, 190)
"""Fewest and most words of an abstract."""

FULL_WORDS = {False: (900, 1600), True: (450, 800)}
"""Fewest and most words of a full text; True for a short article."""

GROUPS = {
    "molecular": ("Molecular studies", "Gene and gene product", "Work at the molecular level"),
    "cellular": ("Cellular studies", "Work in cultured cells", "Cells and tissues in culture"),
    "organismal": ("Studies beyond the cell", "Whole-organism studies", "Organisms and patients"),
}
"""Part of the results -> headings it may have."""

NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
           "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen")  # fmt: skip


@dataclass(frozen=True)
class Article:
    """A written article.

    Attributes:
        title: One line.
        abstract: 120 to 190 words.
        sections: Heading and text, in order; empty when only the front was asked for.
        summaries: Subtype -> what a curator notes of it, evidence only.
    """

    title: str
    abstract: str
    sections: tuple[tuple[str, str], ...]
    summaries: dict[str, str] = field(default_factory=dict)

    @property
    def full_text(self) -> str:
        """Sections under their headings, one blank line between."""
        return "\n\n".join(f"{heading}\n{text}" for heading, text in self.sections)


def write(draft: Draft | Mapping[str, Any]) -> Article:
    """Write the article of a draft, byte for byte the same every time.

    Args:
        draft: A `Draft`, or its JSON object.

    Raises:
        TaskError: If the JSON object is not a draft.
    """
    author = _Author(draft if isinstance(draft, Draft) else Draft.from_json(draft))
    return Article(author.title(), author.abstract(), author.sections(), author.summaries())


def write_front(draft: Draft | Mapping[str, Any]) -> Article:
    """Title, abstract and summaries as `write` gives them, without the sections."""
    author = _Author(draft if isinstance(draft, Draft) else Draft.from_json(draft))
    return Article(author.title(), author.abstract(), (), author.summaries())


def count_words(text: str) -> int:
    """Words, as blanks divide them."""
    return len(text.split())


class _Author:
    """Writes the parts of one article; every part has its own source of randomness."""

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self.teller = Teller(draft)
        rng = self.rng("background")
        system = SYSTEMS[draft.system]
        feature, feature_b = rng.sample(system["feature"], 2)
        partners = [p for finding in draft.findings for p in finding.partners if p]
        self.background = LOOSE | {
            "gene": draft.gene,
            "disease": draft.disease,
            "year": str(draft.year),
            "feature": feature,
            "feature_b": feature_b,
            "tissue": rng.choice(system["tissue"]),
            "partner": partners[0] if partners else "another gene",
        }

    def rng(self, part: str) -> Random:
        return Random(f"{self.draft.seed}:{part}")

    def scribe(self, part: str, facts: Mapping[str, str] | None = None) -> Scribe:
        return Scribe(self.rng(part), facts or self.background, narrow=not self.draft.wide)

    # What the article gives away at first sight.

    def title(self) -> str:
        scribe = self.scribe("title")
        title = scribe.say(scribe.pick(NEUTRAL["title"]))
        open_ones = [i for i, f in enumerate(self.draft.findings) if f.mode != "silent"]
        if open_ones and not title.endswith("?") and ":" not in title and scribe.rng.random() < 0.5:
            index = scribe.rng.choice(open_ones)
            topic = self.scribe("topic", self.teller.facts[index])
            tail = topic.say(topic.pick(TOPIC[self.draft.findings[index].category]))
            title += tail if tail.startswith(":") else f" {tail}"
        return capitalise(title)

    def abstract(self) -> str:
        """Required sentences first; then fillers up to the length wanted."""
        low, high = ABSTRACT_WORDS
        told = [
            self.teller.in_abstract(index)
            for index, finding in enumerate(self.draft.findings)
            if finding.mode != "silent"
        ]
        for attempt in range(50):
            scribe = self.scribe(f"abstract:{attempt}")
            body = list(told)
            scribe.rng.shuffle(body)
            head = [scribe.draw(NEUTRAL["abstract_open"]), scribe.draw(NEUTRAL["abstract_aim"])]
            tail = [scribe.draw(NEUTRAL["abstract_close"])]
            if attempt >= 20:
                head.pop()
            if attempt >= 40:
                tail.pop()
            target = scribe.rng.randint(low, high - 35)
            for filler in scribe.shuffled(NEUTRAL["abstract_fill"]):
                if count_words(" ".join(head + body + tail)) >= target:
                    break
                body.insert(scribe.rng.randint(0, len(body)), scribe.sentence(filler))
            text = " ".join(head + body + tail)
            if low <= count_words(text) <= high:
                return text
        raise ValueError(f"no abstract of {low} to {high} words for the draft {self.draft!r}")

    # The full text.

    def sections(self) -> tuple[tuple[str, str], ...]:
        """Sections around the findings, filled with neutral sentences to the length wanted."""
        rng = self.rng("plan")
        filler = self.scribe("filler")
        parts = self.outline(rng)
        for index, finding in enumerate(self.draft.findings):
            for place, chunk in self.teller.in_full(index):
                parts[place].add(chunk, rng)
            if finding.status not in ("planned", "reported", "technique"):
                scribe = self.scribe(f"{index}:method")
                method = dressed(scribe, scribe.pick(METHOD[finding.work]), "work")
                parts["methods"].add(method, rng)
        if self.teller.codes:
            parts["methods"].add(self.teller.code_key(), rng)
        low, high = FULL_WORDS[self.draft.short]
        target = rng.randint(low + 30, high - 150)
        words = sum(part.words for part in parts.values())
        open_parts = [part for part in parts.values() if part.fillers]
        while words < target and open_parts:
            part = rng.choice(open_parts)
            sentence = dressed(filler, part.fillers.pop(), part.dress)
            part.add(sentence, rng)
            words += count_words(sentence)
            open_parts = [part for part in open_parts if part.fillers]
        return tuple((part.heading, part.text) for part in parts.values())

    def outline(self, rng: Random) -> dict[str, _Part]:
        """The sections of this article with their fixed sentences and their fillers."""
        scribe = self.scribe("outline")

        def part(heading: str, opening: Sequence[str], pool: str, closing: str = "") -> _Part:
            if pool not in stock:
                stock[pool] = scribe.shuffled(NEUTRAL[pool])
            last = [scribe.draw(NEUTRAL[closing])] if closing else []
            dress = {"intro": "background", "discussion": "remarks", "limits": "remarks"}
            return _Part(
                scribe.say(heading), list(opening), last, stock[pool], dress.get(pool, "work")
            )

        stock: dict[str, list[str]] = {}

        parts = {
            "introduction": part(
                "[Introduction|Background]", [scribe.draw(NEUTRAL["intro_open"])], "intro",
                "intro_aim",
            ),
            "patients": part("[Patients and variants|Participants and variants]", [], "patients"),
            "methods": part("[Methods|Materials and methods]", [], "methods"),
        }  # fmt: skip
        for sentence in self.genetics():
            parts["patients"].add(sentence, rng)
        groups = {finding.group for finding in self.draft.findings}
        used = [group for group in GROUPS if group in groups]
        spare = [group for group in GROUPS if group not in used]
        if spare and rng.random() < 0.3:
            used.append(rng.choice(spare))
        for group in used or ["molecular"]:
            heading = f"Results: {scribe.pick(GROUPS[group]).lower()}"
            opening = dressed(scribe, scribe.pick(NEUTRAL["results_open"]), "work")
            parts[group] = part(heading, [opening], "results")
        parts["discussion"] = part(
            "Discussion", [scribe.draw(NEUTRAL["discussion_open"])], "discussion",
            "discussion_close",
        )  # fmt: skip
        if not self.draft.short:
            extra = rng.choice(("limits", "data", ""))
            if extra:
                heading = {"limits": "Limitations", "data": "Data availability"}[extra]
                parts[extra] = part(heading, [], extra)
                parts[extra].add(dressed(scribe, parts[extra].fillers.pop(), "remarks"), rng)
        return parts

    def genetics(self) -> list[str]:
        """Sentences on who carried what, for the section on patients and variants."""
        scribe = self.scribe("genetics")
        human = self.draft.genetics
        if human is None:
            return [scribe.draw(GENETICS["none"])]
        scribe.facts |= {
            "nulls": _people(human.null, scribe.rng),
            "others": _people(human.other, scribe.rng),
            "earlier": f"{NUMBERS[human.earlier]} earlier report{'s' * (human.earlier > 1)}",
            "first": str(human.first),
        }
        pools = ["null"] if human.null else []
        if human.other:
            pools.append("other" if human.null else "other_only")
        pools.append("earlier" if human.earlier else "first_report")
        sentences = [scribe.draw(GENETICS[pool]) for pool in pools]
        if scribe.rng.random() < 0.5:
            sentences.append(scribe.draw(GENETICS["unscored"]))
        return [" ".join(sentences)]

    # What a curator notes.

    def summaries(self) -> dict[str, str]:
        """Subtype -> note on the experiment and on the article's human genetics."""
        notes = {}
        for index, finding in enumerate(self.draft.findings):
            if finding.status == "shown":
                scribe = self.scribe(f"{index}:summary", self.teller.facts[index])
                scribe.facts["clause"] = scribe.say(scribe.pick(CLAUSES[finding.subtype]))
                note = scribe.draw(FRAMES["summary"])
                notes[finding.subtype] = f"{note} {self.genetic_note(index)}"
        return notes

    def genetic_note(self, index: int) -> str:
        human: Genetics | None = self.draft.genetics
        scribe = self.scribe(f"{index}:note")
        if human is None:
            return scribe.draw(GENETIC_SUMMARY["unscored"])
        counts = [
            f"{number} proband{'s' * (number > 1)} with {kind}"
            for number, kind in ((human.null, "null variants"), (human.other, "other variants"))
            if number
        ]
        scribe.rng.shuffle(counts)
        scribe.facts |= {
            "counts": " and ".join(counts),
            "points": f"{human.points:g}",
            "pubs": f"{human.publications} publication{'s' * (human.publications > 1)}",
            "first": str(human.first),
        }
        return scribe.draw(GENETIC_SUMMARY["scored"])


class _Part:
    """A section in the making: an opening and a close that stay, chunks between in any order."""

    def __init__(
        self, heading: str, opening: list[str], closing: list[str], fillers: list[str], dress: str
    ) -> None:
        self.heading = heading
        self.opening = opening
        self.closing = closing
        self.fillers = fillers
        self.dress = dress
        self.chunks: list[str] = []

    def add(self, chunk: str, rng: Random) -> None:
        self.chunks.insert(rng.randint(0, len(self.chunks)), chunk)

    @property
    def text(self) -> str:
        return " ".join(self.opening + self.chunks + self.closing)

    @property
    def words(self) -> int:
        return count_words(self.text)


def dressed(scribe: Scribe, phrase: str, dress: str) -> str:
    """A neutral sentence with the particulars that a section of this kind gives."""
    plain = scribe.say(phrase)
    if scribe.facts["gene"] in plain and scribe.rng.random() < 0.5:
        return punctuate(plain)
    scribe.facts["plain"] = plain
    return scribe.draw(DRESS[dress])


def _people(count: int, rng: Random) -> str:
    """A count of probands in words or digits: "two unrelated probands"."""
    number = NUMBERS[count] if count < len(NUMBERS) and (count < 3 or rng.random() < 0.6) else count
    return f"{number} unrelated proband{'s' * (count > 1)}"
