"""The experiments that a laboratory can do on a gene and a disease.

``designs.json`` holds measures by family of tissues, measures by function of the gene product, the
designs, and words that tell in which cells a gene acts. A design names the evidence that its
positive result is, and when it makes sense: each word of ``when`` is a key of `PREDICATES`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from gym_clinic.domains.clingen.dossiers import (
    GeneDossier,
    MechanismClass,
    PairDossier,
    allele_model_of,
)
from gym_clinic.errors import TaskError
from gym_clinic.simulate.split import Split, of_split

LOSS: frozenset[MechanismClass] = frozenset({"loss of function", "haploinsufficiency"})
"""Mechanisms that a missing product models and a wild-type product rescues."""

ENZYMES = ("aminoacylation", "transferase of sugars", "kinase", "phosphatase", "enzyme")
"""Functions whose product can be given as a recombinant enzyme."""


SHARES = ("%", "% of input", "% of total", "% modified", "% in 10 min", "% of haemoglobin")
"""Units of shares of a whole."""

MOST_SHARE = 92.0
"""Largest share that a group is drawn around."""

BLOOD = ("red blood cells", "platelets", "neutrophils", "macrophages", "B cells", "T cells")
WITHOUT_NUCLEUS = BLOOD[:2]


class WorldFacts(NamedTuple):
    """What designs may depend on; the mechanism may be taken as unknown."""

    gene: GeneDossier
    pair: PairDossier
    mechanism: MechanismClass


class DesignMeasure(NamedTuple):
    """What is measured, with the range of the reference group.

    Attributes:
        cv: SD as a share of the mean.
        ratios: Affected over reference, where there is an effect.
    """

    name: str
    unit: str
    units_of_n: str
    low: float
    high: float
    cv: float
    ratios: tuple[float, float]


@dataclass(frozen=True)
class ExperimentDesign:
    """A kind of experiment; texts hold slots such as ``{gene}``.

    Attributes:
        control: A further group that lacks what the test group has: if it reads as that one does,
            the difference is not due to the gene.
    """

    id: str
    subtype: str | None
    when: tuple[str, ...]
    system: str
    measure: str | tuple[str | float, ...]
    test: str
    reference: str
    third: str | None
    n: tuple[int, int]
    ratio: tuple[float, float] | None
    confounder: str
    control: str | None = None

    def names(self, *words: str) -> bool:
        """Whether its system or a group that it compares has one of the words."""
        text = f"{self.system} {self.test} {self.reference}"
        return any(word in text for word in words)

    @property
    def of_carriers(self) -> bool:
        """Whether it examines affected persons or their variants."""
        return self.names("{person}", "{variant}", "persons")


class DesignTables(NamedTuple):
    """The tables of ``designs.json``."""

    designs: Mapping[str, ExperimentDesign]
    families: Mapping[str, Mapping[str, tuple[str | float, ...]]]
    functions: tuple[tuple[str, tuple[str, ...], tuple[str | float, ...]], ...]
    conditions: Mapping[str, tuple[str, ...]]


def feasible(design: ExperimentDesign, facts: WorldFacts) -> bool:
    """Whether an experiment makes sense for a gene and a disease."""
    for word in design.when:
        name, _, value = word.partition(":")
        if not PREDICATES[name](facts, value.replace("_", " ")):
            return False
    return True


def measure_of(design: ExperimentDesign, facts: WorldFacts) -> DesignMeasure:
    """What the design measures here: its own measure, the organ's, or the product's function."""
    found = _usual_measure(design, facts)
    most = found.high * max(1.0, *found.ratios)  # a share of a whole stays below 100%
    scale = min(1.0, MOST_SHARE / most) if found.unit in SHARES else 1.0
    return found._replace(low=found.low * scale, high=found.high * scale)


def _usual_measure(design: ExperimentDesign, facts: WorldFacts) -> DesignMeasure:
    if not isinstance(design.measure, str):
        return _measure(design.measure, design.ratio)
    if design.measure == "function":
        _, _, row = function_of(facts.gene)
        ratio = design.ratio or (0.25, 0.65)
        if design.ratio and min(design.ratio) > 1:  # an inactive form is the reference
            low, high = design.ratio
            return _from_affected(_measure(row, (1 / high, 1 / low)), 0.8)
        if facts.mechanism == "gain of function" and not design.ratio:
            ratio = (1.6, 2.9)
        return _measure(row, ratio)
    family = _family_of_pair(facts.pair)
    found = _measure(read_designs().families[family][design.measure.rstrip("-")], None)
    return _from_affected(found, 0.95) if design.measure.endswith("-") else found


def _from_affected(found: DesignMeasure, least: float) -> DesignMeasure:
    """The measure with the affected as the reference; others reach the usual range again."""
    low, high = found.ratios
    middle = (low + high) / 2
    ratios = _ordered(least / middle, 1 / middle)
    return found._replace(low=found.low * middle, high=found.high * middle, ratios=ratios)


def family_of(tissue: str) -> str:
    """The family of a tissue.

    Raises:
        TaskError: If the tissue is in no family.
    """
    if (family := _families().get(tissue)) is None:
        raise TaskError(f"no measures for the tissue {tissue!r}")
    return family


def _family_of_pair(pair: PairDossier) -> str:
    """The family of measures of a disease: by its name, else by its first tissue."""
    name = pair.disease.lower()
    for family, one in read_designs().families.items():
        if any(str(word) in name for word in one.get("diseases", ())):
            return family
    return family_of(pair.tissues[0])


def _has_word(facts: WorldFacts, table: str) -> bool:
    """Whether a word of a condition begins a word in the facts of the gene."""
    gene = facts.gene
    text = f" {gene.product} ; {gene.does} ; {gene.pathway} ; {gene.family} ".lower()
    return bool(_pattern_of(read_designs().conditions[table]).search(text))


@lru_cache(maxsize=4096)
def function_of(gene: GeneDossier) -> tuple[str, tuple[str, ...], tuple[str | float, ...]]:
    """The first row of the table of functions whose words begin a word in the facts of the gene.

    What begins with "ase" ends a word, as in "aconitase".
    """
    text = f" {gene.product} ; {gene.does} ; {gene.family} ".lower()
    functions = read_designs().functions
    return next((row for row in functions if _pattern_of(row[1]).search(text)), functions[-1])


@lru_cache(maxsize=64)
def _pattern_of(words: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:(?<!\\w)|(?=ase)){re.escape(one)}" for one in words) or "(?!)")


@lru_cache(maxsize=1)
def read_designs() -> DesignTables:
    """Read ``designs.json`` once a process.

    Raises:
        TaskError: If a design depends on an unknown predicate.
    """
    value = json.loads((Path(__file__).parent / "designs.json").read_text(encoding="utf-8"))
    designs = {}
    for row in value["designs"]:
        if unknown := {word.partition(":")[0] for word in row["when"]} - PREDICATES.keys():
            raise TaskError(f"{row['id']}: unknown conditions {sorted(unknown)}")
        measure = row["measure"]
        designs[row["id"]] = ExperimentDesign(
            row["id"],
            row["subtype"],
            tuple(row["when"]),
            row["system"],
            measure if isinstance(measure, str) else tuple(measure),
            row["test"],
            row["reference"],
            row.get("third"),
            (row["n"][0], row["n"][1]),
            (row["ratio"][0], row["ratio"][1]) if row.get("ratio") else None,
            row["confounder"],
            row.get("control"),
        )
    families = {
        name: {key: tuple(row) for key, row in family.items()}
        for name, family in value["families"].items()
    }
    functions = tuple((row[0], tuple(row[1]), tuple(row[2:])) for row in value["functions"])
    conditions = {name: tuple(words) for name, words in value["conditions"].items()}
    return DesignTables(designs, families, functions, conditions)


@lru_cache(maxsize=3)
def designs_of(split: Split) -> tuple[ExperimentDesign, ...]:
    """Return the designs that a split draws from; in dev and test half of them is not in train."""
    designs = read_designs().designs
    pools: dict[str, list[str]] = {}
    for one in designs.values():
        pools.setdefault(one.subtype or "none", []).append(one.id)
    return tuple(designs[key] for name, ids in pools.items() for key in of_split(name, ids, split))


@lru_cache(maxsize=1)
def _families() -> Mapping[str, str]:
    families = read_designs().families
    return {
        str(tissue): name for name, one in families.items() for tissue in one.get("tissues", ())
    }


def _measure(row: tuple[str | float, ...], ratio: tuple[float, float] | None) -> DesignMeasure:
    name, unit, counted = (str(one) for one in row[:3])
    low, high, cv = (float(one) for one in row[3:6])
    found = ratio or (float(row[6]), float(row[7]))
    return DesignMeasure(name, unit, counted, low, high, cv, found)


def _ordered(first: float, second: float) -> tuple[float, float]:
    return min(first, second), max(first, second)


@lru_cache(maxsize=1)
def _essential_genes() -> frozenset[str]:
    text = Path(__file__).with_name("essential_genes.txt").read_text(encoding="utf-8")
    lines = (line for line in text.splitlines() if not line.startswith("#"))
    return frozenset(gene for line in lines for gene in line.split())


def needs_function(gene: str) -> bool:
    """Whether nobody is born without a copy of the gene that works at least in part."""
    return gene in _essential_genes()


PREDICATES: Mapping[str, Callable[[WorldFacts, str], bool]] = {
    "protein": lambda facts, _: facts.gene.kind == "protein",
    "nuclear": lambda facts, _: facts.gene.genome == "nuclear",
    "mitochondrial_gene": lambda facts, _: facts.gene.genome == "mitochondrial",
    "product": lambda facts, _: facts.gene.kind == "protein" and facts.gene.genome == "nuclear",
    "partner": lambda facts, _: bool(facts.gene.partners),
    "organism": lambda facts, name: name in (facts.gene.models or ()),
    "loss": lambda facts, _: facts.mechanism in LOSS,
    "allele": lambda facts, name: (
        facts.mechanism != "unknown"
        and allele_model_of(facts.mechanism, facts.pair.alleles) == name
    ),
    "mitochondria": lambda facts, _: (
        facts.gene.genome == "mitochondrial"
        or "mitochond" in f"{facts.gene.does} {facts.gene.pathway} {facts.pair.disease}".lower()
    ),
    "family": lambda facts, names: _family_of_pair(facts.pair) in names.split("|"),
    "grows": lambda facts, _: _has_word(facts, "grows") and not _has_word(facts, "limited"),
    "widespread": lambda facts, _: not _has_word(facts, "limited"),
    "nucleated": lambda facts, _: facts.pair.tissues[0] not in WITHOUT_NUCLEUS,
    "solid": lambda facts, _: facts.pair.tissues[0] not in BLOOD,
    "viable": lambda facts, _: not (needs_function(facts.gene.gene) or _has_word(facts, "vital")),
    "enzyme": lambda facts, _: function_of(facts.gene)[0] in ENZYMES,
}
"""Condition of a design -> whether it holds, given what follows the colon."""
