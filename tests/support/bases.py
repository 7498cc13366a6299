"""Small knowledge bases for tests."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from gym_clinic.retrieval.passages.build import BuildListener, PassageSource, build_base
from gym_clinic.retrieval.passages.knowledge import KnowledgeBase
from gym_clinic.retrieval.passages.passage import BrokenRecord, Passage

PASSAGES = [
    Passage("p1", "alpha", "Chest pain", "Chest pain with raised troponin is an infarction."),
    Passage("p2", "alpha", "Heart failure", "Heart failure may raise troponin; pain is rare."),
    Passage("p3", "beta", "Migraine", "A headache with aura. Pain on one side of the head."),
    Passage("p4", "beta", "Failure to thrive", "The heart of an infant with failure to thrive."),
    Passage("p5", "beta", "Hepatitis A", "A viral infection; treatments are supportive.", "viral"),
    Passage("p6", "gamma", "β-blocker", "Für Ärzte: naïve patients, 5 µg/kg — “slowly”. 😀",
            licence="CC0"),
]  # fmt: skip


BROKEN = [
    Passage("a", "s", "", "one"),
    BrokenRecord("x.jsonl", "line 2", "no field 'id'"),
    Passage("a", "s", "", "two"),
    Passage("b", "s", "", "three"),
]


class Heard(BuildListener):
    """Keeps what it is told."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.before = 0

    def resumed(self, records: int) -> None:
        self.before = records

    def broken(self, record: BrokenRecord) -> None:
        self.names.append(str(record))


def files(folder: Path) -> set[str]:
    return {one.name for one in folder.iterdir()}


def source(records: Iterable[Passage | BrokenRecord], name: str = "list") -> PassageSource:
    kept = list(records)
    return PassageSource(name, str(hash(tuple(kept))), lambda: iter(kept))


def base(folder: Path, engine: str, records: Iterable[Passage] = PASSAGES) -> KnowledgeBase:
    out = folder / f"{engine}.db"
    build_base([source(records)], out, engine=engine)
    return KnowledgeBase(out)
