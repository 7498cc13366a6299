"""How an article tells each of its findings, in the abstract and in the full text."""

from __future__ import annotations

from random import Random

from gym_clinic.domains.clingen.simulator.drafts import RESCUED, Draft, PlannedFinding
from gym_clinic.domains.clingen.simulator.scenes import scene_facts
from gym_clinic.domains.clingen.simulator.wording import grammar, writer
from gym_clinic.simulate.writer import Writer

PLACES = {
    "shown": (("results", 86), ("discussion", 14)),
    "negative": (("results", 86), ("discussion", 14)),
    "withdrawn": (("results", 100),),
    "reported": (("introduction", 40), ("results", 25), ("discussion", 35)),
    "planned": (("results", 35), ("discussion", 65)),
    "other": (("results", 80), ("discussion", 20)),
    "elsewhere": (("results", 80), ("discussion", 20)),
    "technique": (("results", 40), ("methods", 60)),
}
"""Status -> sections that may tell it, with weights."""

AS_NUMBERS = 0.35
"""Chance that a result is told as a measurement ("measured" pools)."""

AS_PASSAGE = 0.4
"""Chance that a positive result is told in several sentences, if not as numbers."""

REPLICATED = 0.12
"""Chance that an own result, whatever it is, is told as confirming an earlier report."""

FOIL = 0.35
"""Chance that a remark that decides nothing follows an own result."""

CODED = 0.35
"""Chance that an article calls its gene by a code, explained in the methods."""

CODES = (
    ("T4", "T7"), ("target B", "target F"), ("locus 17", "locus 23"), ("K-3", "K-8"),
    ("item 5", "item 9"), ("probe set 2", "probe set 6"), ("L11", "L12"), ("factor P", "factor Q"),
)  # fmt: skip
"""Names under which an article may hide its gene and another one."""

_OWN = ("shown", "negative", "withdrawn", "other", "elsewhere")


class Teller:
    """Tells the findings of one article; every telling has its own source of randomness.

    Attributes:
        draft: The article's plan.
        facts: What the phrases may say of each finding.
        codes: Gene symbol -> code name in the full text; empty if the article uses none.
    """

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self.facts = [scene_facts(draft, finding) for finding in draft.findings]
        self.codes: dict[str, str] = {}
        rng = self.rng("codes")
        decoys = [f.gene for f in draft.findings if f.gene and f.status == "other"]
        decoys += [f.partners[1] for f in draft.findings if f.partners[1]]
        if decoys and rng.random() < CODED:
            code, code_b = rng.sample(rng.choice(CODES), 2)
            self.codes = {draft.gene: code, decoys[0]: code_b}

    def rng(self, part: str) -> Random:
        """The source of randomness of a part of the article."""
        return Random(f"{self.draft.seed}:{part}")

    def writer(self, index: int, part: str) -> Writer:
        """A writer with the facts of a finding."""
        seed = f"{self.draft.seed}:{index}:{part}"
        return writer(seed, self.facts[index], wide=self.draft.wide)

    def in_abstract(self, index: int) -> str:
        """One or two sentences, or a hint that leaves the outcome open."""
        finding = self.draft.findings[index]
        writer = self.writer(index, "abstract")
        if finding.mode == "hint":
            return writer.draw(f"hint.{finding.category}")
        if finding.status in ("planned", "technique"):
            return writer.draw(f"{finding.status}.{finding.category}")
        measured = self.add_clause(writer, finding)
        if finding.status in ("negative", "reported", "withdrawn"):
            frame = f"{finding.status}_abstract"
        else:
            frame = "shown_abstract"
        if measured and finding.status not in ("reported", "withdrawn"):
            frame = "measured_abstract"
        text = writer.draw(f"frame.{frame}")
        if finding.status == "elsewhere":
            text += " " + writer.draw("frame.elsewhere")
        return text

    def in_full(self, index: int) -> list[tuple[str, str]]:
        """Section and sentences, once for most findings and twice for one taken back."""
        finding = self.draft.findings[index]
        writer = self.writer(index, "full")
        names, weights = zip(*PLACES[finding.status], strict=True)
        place = str(writer.rng.choices(names, weights=weights)[0])
        place = finding.group if place == "results" else place
        if finding.status in ("planned", "technique"):
            return [(place, writer.draw(f"{finding.status}.{finding.category}"))]
        if finding.status in _OWN:
            symbols = {"gene": finding.gene or self.draft.gene, "main": self.draft.gene}
            writer.facts |= {slot: self.codes.get(name, name) for slot, name in symbols.items()}
        text = self.statement(writer, finding)
        if self.takes_defect_as_given(finding):
            text += " " + writer.draw("frame.earlier_defect")
        if finding.status == "elsewhere":
            text += " " + writer.draw("frame.elsewhere")
        if finding.status == "other" and writer.rng.random() < 0.45:
            text += " " + writer.draw("frame.aside")
        if finding.status in _OWN and writer.rng.random() < FOIL:
            text += " " + writer.draw("frame.foil")
        if finding.status != "reported" and writer.rng.random() < 0.6:
            text += " " + writer.draw(f"follow.{finding.work}")
        chunks = [(place, text)]
        if finding.status == "withdrawn":
            chunks.append(("discussion", writer.draw("frame.withdrawn")))
        return chunks

    def statement(self, writer: Writer, finding: PlannedFinding) -> str:
        """The result itself, without what follows from it."""
        measured = self.add_clause(writer, finding)
        if finding.status in _OWN and writer.rng.random() < REPLICATED:
            return writer.draw("frame.replicated")
        if measured and finding.status != "reported":
            return writer.draw("frame.measured")
        plain = finding.status in ("shown", "other", "elsewhere")
        if plain and writer.rng.random() < AS_PASSAGE:
            return writer.draw(f"passage.{finding.subtype}")
        frame = finding.status if finding.status in ("negative", "reported") else "shown"
        return writer.draw(f"frame.{frame}")

    def add_clause(self, writer: Writer, finding: PlannedFinding) -> bool:
        """Put a clause among the writer's facts; returns whether it tells a measurement."""
        pool = f"measured.{finding.subtype}"
        measured = pool in grammar() and writer.rng.random() < AS_NUMBERS
        if not measured:
            kind = "negative" if finding.status == "negative" else "clause"
            pool = f"{kind}.{finding.subtype}"
        writer.facts["clause"] = writer.say(pool)
        return measured

    def takes_defect_as_given(self, finding: PlannedFinding) -> bool:
        """Whether a rescue must say that the defect it undoes was described elsewhere."""
        base = RESCUED.get(finding.subtype)
        given = finding.status in ("shown", "negative", "withdrawn") and base is not None
        return given and not any(
            f.subtype == base and f.scene == finding.scene and f.status == "shown"
            for f in self.draft.findings
        )

    def code_key(self) -> str:
        """The sentence that explains the codes."""
        facts: dict[str, str] = {}
        for slot, (real, code) in zip(("", "_b"), self.codes.items(), strict=True):
            facts |= {f"real{slot}": real, f"code{slot}": code}
        return writer(f"{self.draft.seed}:key", facts, wide=self.draft.wide).draw("code_key")
