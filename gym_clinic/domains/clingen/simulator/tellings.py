"""How an article tells each of its findings, in the abstract and in the full text."""

from __future__ import annotations

from random import Random

from gym_clinic.domains.clingen.simulator.drafts import RESCUED, Draft, Finding
from gym_clinic.domains.clingen.simulator.phrases_findings import CLAUSES
from gym_clinic.domains.clingen.simulator.phrases_methods import FOLLOW
from gym_clinic.domains.clingen.simulator.phrases_negatives import NEGATIVE
from gym_clinic.domains.clingen.simulator.phrases_passages import PASSAGES
from gym_clinic.domains.clingen.simulator.phrases_status import FRAMES, HINT, PLANNED, TECHNIQUE
from gym_clinic.domains.clingen.simulator.phrases_twins import CODES, OUTCOMES, TWINS
from gym_clinic.domains.clingen.simulator.scenes import scene_facts
from gym_clinic.simulate.grammar import Scribe

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
"""Chance that a result is told in the words of `phrases_twins`."""

AS_PASSAGE = 0.4
"""Chance that a positive result is told in several sentences, if not as numbers."""

REPLICATED = 0.12
"""Chance that a clause of the authors' own is told as confirming an earlier report."""

CODED = 0.35
"""Chance that an article calls its gene by a code, explained in the methods."""

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
            code, code_b = rng.choice(CODES)
            self.codes = {draft.gene: code, decoys[0]: code_b}

    def rng(self, part: str) -> Random:
        """The source of randomness of a part of the article."""
        return Random(f"{self.draft.seed}:{part}")

    def scribe(self, index: int, part: str) -> Scribe:
        """A writer with the facts of a finding."""
        return Scribe(self.rng(f"{index}:{part}"), self.facts[index], narrow=not self.draft.wide)

    def in_abstract(self, index: int) -> str:
        """One or two sentences, or a hint that leaves the outcome open."""
        finding = self.draft.findings[index]
        scribe = self.scribe(index, "abstract")
        if finding.mode == "hint":
            return scribe.draw(HINT[finding.category])
        if finding.status == "planned":
            return scribe.draw(PLANNED[finding.category])
        if finding.status == "technique":
            return scribe.draw(TECHNIQUE[finding.category])
        told = self.clause(scribe, finding)
        if finding.status in ("negative", "reported", "withdrawn"):
            kind = f"{finding.status}_abstract"
        else:
            kind = "shown_abstract"
        if told == "numbers" and kind != "reported_abstract" and finding.status != "withdrawn":
            text = scribe.draw(OUTCOMES["measured"][:2])
        else:
            text = scribe.draw((OUTCOMES | FRAMES)[kind])
        if finding.status == "elsewhere":
            text += " " + scribe.draw(FRAMES["elsewhere"])
        return text

    def in_full(self, index: int) -> list[tuple[str, str]]:
        """Section and sentences, once for most findings and twice for one taken back."""
        finding = self.draft.findings[index]
        scribe = self.scribe(index, "full")
        names, weights = zip(*PLACES[finding.status], strict=True)
        place = str(scribe.rng.choices(names, weights=weights)[0])
        place = finding.group if place == "results" else place
        if finding.status in ("planned", "technique"):
            pool = PLANNED if finding.status == "planned" else TECHNIQUE
            return [(place, scribe.draw(pool[finding.category]))]
        if finding.status in _OWN:
            for slot in ("gene", "main"):
                scribe.facts[slot] = self.codes.get(scribe.facts[slot], scribe.facts[slot])
        text = self.statement(scribe, finding)
        if self.takes_defect_as_given(finding):
            text += " " + scribe.draw(FRAMES["earlier_defect"])
        if finding.status == "elsewhere":
            text += " " + scribe.draw(FRAMES["elsewhere"])
        if finding.status == "other" and scribe.rng.random() < 0.45:
            text += " " + scribe.draw(FRAMES["aside"])
        if finding.status == "shown" and scribe.rng.random() < 0.35:
            text += " " + scribe.draw(FRAMES["foil"])
        if finding.status != "reported" and scribe.rng.random() < 0.6:
            text += " " + scribe.draw(FOLLOW[finding.work])
        chunks = [(place, text)]
        if finding.status == "withdrawn":
            chunks.append(("discussion", scribe.draw(OUTCOMES["withdrawn"])))
        return chunks

    def statement(self, scribe: Scribe, finding: Finding) -> str:
        """The result itself, without what follows from it."""
        told = self.clause(scribe, finding)
        if finding.status in ("negative", "reported"):
            frame = FRAMES[finding.status]
        elif finding.status == "shown" and scribe.rng.random() < REPLICATED:
            return scribe.draw(OUTCOMES["replicated"])
        else:
            frame = FRAMES["shown"]
        if told == "numbers" and finding.status != "reported":
            return scribe.draw(OUTCOMES["measured"])
        plain = finding.status in ("shown", "other", "elsewhere")
        if plain and told == "words" and scribe.rng.random() < AS_PASSAGE:
            return scribe.draw(PASSAGES[finding.subtype])
        return scribe.draw(frame)

    def clause(self, scribe: Scribe, finding: Finding) -> str:
        """Put a clause among the writer's facts; returns "numbers" or "words", by its kind."""
        if finding.subtype in TWINS and scribe.rng.random() < AS_NUMBERS:
            scribe.facts["clause"] = scribe.say(scribe.pick(TWINS[finding.subtype]))
            return "numbers"
        pool = NEGATIVE if finding.status == "negative" else CLAUSES
        scribe.facts["clause"] = scribe.say(scribe.pick(pool[finding.subtype]))
        return "words"

    def takes_defect_as_given(self, finding: Finding) -> bool:
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
        scribe = Scribe(self.rng("key"), facts, narrow=not self.draft.wide)
        return scribe.draw(OUTCOMES["code_key"])
