"""Articles on a gene and a disease, written from a plan: the same draft, the same text.

`write` turns a draft into title, abstract, full text and a curator's summary of every piece of
evidence. All of it is invented; ids, years and numbers stand for nothing real.

    >>> from gym_clinic.domains.clingen.simulator.drafts import PlannedFinding
    >>> draft = Draft("ABCD1", "adrenoleukodystrophy", 2019, "neuro", "demo", (PlannedFinding(
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

from gym_clinic.domains.clingen.simulator.drafts import GROUPS, Draft, PlannedGenetics
from gym_clinic.domains.clingen.simulator.systems import read_systems
from gym_clinic.domains.clingen.simulator.tellings import Teller
from gym_clinic.domains.clingen.simulator.wording import writer
from gym_clinic.facts.phrases import ParsedPhrase
from gym_clinic.simulate.writer import Writer, capitalise, counted, punctuate

ABSTRACT_WORDS = (120, 190)
"""Fewest and most words of an abstract."""

FULL_WORDS = {False: (900, 1600), True: (450, 800)}
"""Fewest and most words of a full text; True for a short article."""

NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
           "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen")  # fmt: skip


@dataclass(frozen=True)
class SimulatedArticle:
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


def write(draft: Draft | Mapping[str, Any]) -> SimulatedArticle:
    """Write the article of a draft, byte for byte the same every time.

    Args:
        draft: A `Draft`, or its JSON object.

    Raises:
        TaskError: If the JSON object is not a draft.
    """
    author = _Author(draft if isinstance(draft, Draft) else Draft.from_json(draft))
    return SimulatedArticle(
        author.title(), author.abstract(), author.sections(), author.summaries()
    )


def write_front(draft: Draft | Mapping[str, Any]) -> SimulatedArticle:
    """Title, abstract and summaries as `write` gives them, without the sections."""
    author = _Author(draft if isinstance(draft, Draft) else Draft.from_json(draft))
    return SimulatedArticle(author.title(), author.abstract(), (), author.summaries())


def count_words(text: str) -> int:
    """Return the number of words, which blanks divide."""
    return len(text.split())


class _Author:
    """Writes the parts of one article; every part has its own source of randomness."""

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self.teller = Teller(draft)
        rng = self.rng("background")
        aspects = read_systems()[draft.system]["aspects"]
        feature, feature_b = rng.sample([aspect["feature"] for aspect in aspects], 2)
        partners = [p for finding in draft.findings for p in finding.partners if p]
        self.background = {
            "gene": draft.gene,
            "disease": draft.disease,
            "year": str(draft.year),
            "feature": feature,
            "feature_b": feature_b,
            "tissue": rng.choice(aspects)["tissue"],
            "partner": partners[0] if partners else "another gene",
        }

    def rng(self, part: str) -> Random:
        return Random(f"{self.draft.seed}:{part}")

    def writer(self, part: str, facts: Mapping[str, str | ParsedPhrase] | None = None) -> Writer:
        seed = f"{self.draft.seed}:{part}"
        return writer(seed, facts or self.background, wide=self.draft.wide)

    # Title and abstract.

    def title(self) -> str:
        writer = self.writer("title")
        title = writer.say("title")
        open_ones = [i for i, f in enumerate(self.draft.findings) if f.mode != "silent"]
        if open_ones and not title.endswith("?") and ":" not in title and writer.rng.random() < 0.5:
            index = writer.rng.choice(open_ones)
            topic = self.writer("topic", self.teller.facts[index])
            tail = topic.say(f"topic.{self.draft.findings[index].category}")
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
            writer = self.writer(f"abstract:{attempt}")
            body = list(told)
            writer.rng.shuffle(body)
            head = [writer.draw("abstract_open"), writer.draw("abstract_aim")]
            tail = [writer.draw("abstract_close")]
            if attempt >= 20:
                head.pop()
            if attempt >= 40:
                tail.pop()
            target = writer.rng.randint(low, high - 35)
            for filler in writer.shuffled("abstract_fill"):
                if count_words(" ".join(head + body + tail)) >= target:
                    break
                body.insert(writer.rng.randint(0, len(body)), writer.sentence(filler))
            text = " ".join(head + body + tail)
            if low <= count_words(text) <= high:
                return text
        raise ValueError(f"no abstract of {low} to {high} words for the draft {self.draft!r}")

    # The full text.

    def sections(self) -> tuple[tuple[str, str], ...]:
        """Sections around the findings, filled with neutral sentences to the length wanted."""
        rng = self.rng("plan")
        filler = self.writer("filler")
        parts = self.outline(rng)
        for index, finding in enumerate(self.draft.findings):
            for place, chunk in self.teller.in_full(index):
                parts[place].add(chunk, rng)
            if finding.status not in ("planned", "reported", "technique"):
                writer = self.writer(f"{index}:method")
                method = self.dressed(writer, writer.pick(f"method.{finding.work}"), "work")
                parts["methods"].add(method, rng)
        if self.teller.codes:
            parts["methods"].add(self.teller.code_key(), rng)
        low, high = FULL_WORDS[self.draft.short]
        target = rng.randint(low + 30, high - 150)
        words = sum(part.words for part in parts.values())
        open_parts = [part for part in parts.values() if part.fillers]
        while words < target and open_parts:
            part = rng.choice(open_parts)
            sentence = self.dressed(filler, part.fillers.pop(), part.dress)
            part.add(sentence, rng)
            words += count_words(sentence)
            open_parts = [part for part in open_parts if part.fillers]
        return tuple((part.heading, part.text) for part in parts.values())

    def outline(self, rng: Random) -> dict[str, _SectionDraft]:
        """The sections of this article with their fixed sentences and their fillers."""
        writer = self.writer("outline")
        stock: dict[str, list[ParsedPhrase]] = {}

        def part(
            heading: ParsedPhrase, opening: Sequence[str], pool: str, closing: str = ""
        ) -> _SectionDraft:
            if pool not in stock:
                stock[pool] = writer.shuffled(pool)
            last = [writer.draw(closing)] if closing else []
            dress = {"intro": "background", "discussion": "remarks", "limits": "remarks"}
            return _SectionDraft(
                writer.write(heading), list(opening), last, stock[pool], dress.get(pool, "work")
            )

        def heading(name: str) -> ParsedPhrase:
            return writer.pick(f"heading.{name}")

        parts = {
            "introduction": part(
                heading("introduction"), [writer.draw("intro_open")], "intro", "intro_aim"
            ),
            "patients": part(heading("patients"), [], "patients"),
            "methods": part(heading("methods"), [], "methods"),
        }
        for sentence in self.genetics():
            parts["patients"].add(sentence, rng)
        groups = {finding.group for finding in self.draft.findings}
        used = [group for group in GROUPS if group in groups]
        spare = [group for group in GROUPS if group not in used]
        if spare and rng.random() < 0.3:
            used.append(rng.choice(spare))
        for group in used or ["molecular"]:
            results = f"Results: {writer.say(f'heading.{group}').lower()}"
            opening = self.dressed(writer, writer.pick("results_open"), "work")
            parts[group] = part((results,), [opening], "results")
        parts["discussion"] = part(
            heading("discussion"), [writer.draw("discussion_open")], "discussion",
            "discussion_close",
        )  # fmt: skip
        if not self.draft.short:
            extra = rng.choice(("limits", "data", ""))
            if extra:
                parts[extra] = part(heading(extra), [], extra)
                only = self.dressed(writer, parts[extra].fillers.pop(), "remarks")
                parts[extra].add(only, rng)
        return parts

    def dressed(self, writer: Writer, phrase: ParsedPhrase, kind: str) -> str:
        """A neutral sentence with the particulars that a section of this kind gives."""
        plain = writer.write(phrase)
        if self.draft.gene in plain and writer.rng.random() < 0.5:
            return punctuate(plain)
        writer.facts["plain"] = plain
        return writer.draw(f"dress.{kind}")

    def genetics(self) -> list[str]:
        """Sentences on who carried what, for the section on patients and variants."""
        writer = self.writer("genetics")
        human = self.draft.genetics
        if human is None:
            return [writer.draw("genetics.none")]
        writer.facts |= {
            "nulls": _people(human.null, writer.rng),
            "others": _people(human.other, writer.rng),
            "earlier": f"{NUMBERS[human.earlier]} earlier report{'s' * (human.earlier > 1)}",
            "first": str(human.first),
        }
        pools = ["null"] if human.null else []
        if human.other:
            pools.append("other" if human.null else "other_only")
        pools.append("earlier" if human.earlier else "first_report")
        sentences = [writer.draw(f"genetics.{pool}") for pool in pools]
        if writer.rng.random() < 0.5:
            sentences.append(writer.draw("genetics.unscored"))
        return [" ".join(sentences)]

    # The curator's notes.

    def summaries(self) -> dict[str, str]:
        """Subtype -> note on the experiment and on the article's human genetics."""
        notes = {}
        for index, finding in enumerate(self.draft.findings):
            if finding.status == "shown":
                writer = self.writer(f"{index}:summary", self.teller.facts[index])
                writer.facts["clause"] = writer.say(f"clause.{finding.subtype}")
                note = writer.draw("frame.summary")
                notes[finding.subtype] = f"{note} {self.genetic_note(index)}"
        return notes

    def genetic_note(self, index: int) -> str:
        human: PlannedGenetics | None = self.draft.genetics
        writer = self.writer(f"{index}:note")
        if human is None:
            return writer.draw("summary.unscored")
        counts = [
            f"{counted(number, 'proband')} with {kind}"
            for number, kind in ((human.null, "null variants"), (human.other, "other variants"))
            if number
        ]
        writer.rng.shuffle(counts)
        writer.facts |= {
            "counts": " and ".join(counts),
            "points": f"{human.points:g}",
            "pubs": counted(human.publications, "publication"),
            "first": str(human.first),
        }
        return writer.draw("summary.scored")


class _SectionDraft:
    """A section in the making: an opening and a close that stay, chunks between in any order."""

    def __init__(
        self,
        heading: str,
        opening: list[str],
        closing: list[str],
        fillers: list[ParsedPhrase],
        dress: str,
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


def _people(count: int, rng: Random) -> str:
    """A count of probands in words or digits: "two unrelated probands"."""
    number = NUMBERS[count] if count < len(NUMBERS) and (count < 3 or rng.random() < 0.6) else count
    return f"{number} unrelated proband{'s' * (count > 1)}"
