"""A seeded text grammar: varied prose from phrase files that anybody can edit.

A simulator keeps its phrases in a folder of ``.txt`` files; together they are one grammar::

    # A comment: any line that begins with "#".
    {gene}     symbol of the gene
    {models}   the animals, plural

    = outcome
    - [loss|absence] of {gene} left {models} with
      {defect}
    3x {models} without {gene} had {defect}

    = defect
    - [short|bent] fins
    - a small head

* ``{name} explanation``, above the first pool, declares a slot that the program fills. The
  declarations of a file hold for that file.
* ``= name`` opens a pool. ``- phrase`` is an entry, ``3x phrase`` an entry that is drawn three
  times as often. An indented line continues the entry above it.
* ``[a|b]`` stands for one of its alternatives. They nest, and one may be empty. ``<3-7>`` is a
  drawn number (:mod:`gym_clinic.facts.phrases`).
* ``{name}`` stands for the program's fact of that name or, if there is none, for an entry of the
  pool of that name, drawn anew each time; the pool may be in any file.

`read_grammar` checks all of it and names file and line of a mistake: an unknown slot, a bracket
that does not close, a slot or a pool that nothing uses, a pool that refers to itself.

`Writer` (in `gym_clinic.simulate.writer`) writes phrases out.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import NamedTuple

from gym_clinic.errors import TaskError
from gym_clinic.facts.phrases import ParsedPhrase, parse, slots_of
from gym_clinic.names import suggest

_POOL = re.compile(r"= (\w[\w.]*)$")
_ENTRY = re.compile(r"(?:-|([1-9]\d?)x) (\S.*)")
_DECLARED = re.compile(r"\{([a-z_0-9]+)\}(?:\s|$)")


class Entry(NamedTuple):
    """An entry of a pool as it is written.

    Attributes:
        text: The entry on one line.
        line: Line where it begins, counted from 1.
        weight: How many times as often as an entry of weight 1 it is drawn.
    """

    text: str
    line: int
    weight: int


class PoolFile(NamedTuple):
    """What a phrase file holds.

    Attributes:
        slots: Declared slot -> line of its declaration.
        pools: Pool -> its entries, in order.
    """

    slots: dict[str, int]
    pools: dict[str, list[Entry]]


def read_pools(path: Path) -> PoolFile:
    """Read the pools of one file; the entries may be any text, not only phrases.

    Raises:
        TaskError: If the file cannot be read, or for a line outside the layout; the error names
            file and line.
    """
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise TaskError(f"cannot read {path}: {error}") from None
    slots: dict[str, int] = {}
    pools: dict[str, list[Entry]] = {}
    entries: list[Entry] | None = None
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.startswith("#"):
            continue
        if opened := _POOL.match(line):
            if opened[1] in pools:
                raise TaskError(f"{path}, line {number}: pool {opened[1]!r} is given twice")
            entries = pools[opened[1]] = []
        elif (written := _ENTRY.match(line)) and entries is not None:
            entries.append(Entry(written[2].rstrip(), number, int(written[1] or 1)))
        elif line.startswith("  ") and entries:
            entries[-1] = entries[-1]._replace(text=f"{entries[-1].text} {line.strip()}")
        elif (declared := _DECLARED.match(line)) and entries is None:
            slots[declared[1]] = number
        else:
            raise TaskError(
                f"{path}, line {number}: expected '= pool', '- phrase', '3x phrase', an indented "
                f"line or, above the first pool, '{{slot}} explanation', not {line!r}"
            )
    return PoolFile(slots, pools)


class Grammar(Mapping[str, "tuple[ParsedPhrase, ...]"]):
    """Pools of phrases by name; an entry of weight 3 is there three times.

    Args:
        pools: Pool -> its phrases.
    """

    def __init__(self, pools: Mapping[str, tuple[ParsedPhrase, ...]]) -> None:
        self._pools = dict(pools)

    def __getitem__(self, name: str) -> tuple[ParsedPhrase, ...]:
        if name not in self._pools:
            raise KeyError(f"no pool and no fact {name!r}; {suggest(name, self._pools)}")
        return self._pools[name]

    def __contains__(self, name: object) -> bool:
        return name in self._pools

    def __iter__(self) -> Iterator[str]:
        return iter(self._pools)

    def __len__(self) -> int:
        return len(self._pools)


def read_grammar(folder: Path, drawn: Collection[str]) -> Grammar:
    """Read and check the phrase files of a folder.

    Args:
        folder: Folder whose ``.txt`` files are the grammar.
        drawn: Names of the pools that the program draws from.

    Raises:
        TaskError: For a mistake in a file, named by file and line; or if a pool that the program
            draws from is missing.
    """
    pools: dict[str, tuple[ParsedPhrase, ...]] = {}
    places: dict[str, str] = {}
    slots: dict[str, dict[str, str]] = {}  # pool -> slot of a phrase -> first place
    declared: dict[str, set[str]] = {}  # pool -> slots that its file declares
    for path in sorted(folder.glob("*.txt")):
        file = read_pools(path)
        for name, entries in file.pools.items():
            if name in pools:
                raise TaskError(f"{path}: pool {name!r} is also in {places[name]}")
            if not entries:
                raise TaskError(f"{path}: pool {name!r} has no entry")
            pools[name], slots[name] = _parsed(path, entries)
            places[name], declared[name] = str(path), set(file.slots)
        used = {slot for name in file.pools for slot in slots[name]}
        for slot, line in file.slots.items():
            if slot not in used:
                raise TaskError(f"{path}, line {line}: no phrase uses the slot {{{slot}}}")
    for name, found in slots.items():
        for slot, place in found.items():
            known = declared[name] | set(pools)
            if slot not in known:
                raise TaskError(f"{place}: unknown slot {{{slot}}}; {suggest(slot, known)}")
    _check_use(folder, drawn, places, slots)
    return Grammar(pools)


def _parsed(path: Path, entries: list[Entry]) -> tuple[tuple[ParsedPhrase, ...], dict[str, str]]:
    """The phrases of a pool, and the slots in them, each with the first place that has it."""
    phrases: list[ParsedPhrase] = []
    slots: dict[str, str] = {}
    lines: dict[str, int] = {}
    for entry in entries:
        where = f"{path}, line {entry.line}"
        if entry.text in lines:
            raise TaskError(
                f"{where}: the phrase of line {lines[entry.text]} again; for a phrase that is "
                f"drawn twice as often write '2x' for '-'"
            )
        lines[entry.text] = entry.line
        phrase = parse(entry.text, where)
        phrases += [phrase] * entry.weight
        for slot in slots_of(phrase):
            slots.setdefault(slot, where)
    return tuple(phrases), slots


def _check_use(
    folder: Path,
    drawn: Collection[str],
    places: Mapping[str, str],
    slots: Mapping[str, Mapping[str, str]],
) -> None:
    """Check that every pool is there, is used and does not contain itself."""
    for name in drawn:
        if name not in places:
            raise TaskError(f"{folder}: no pool {name!r}; {suggest(name, places)}")
    referred = {slot for found in slots.values() for slot in found}
    for name in places:
        if name not in referred and name not in drawn:
            raise TaskError(f"{places[name]}: nothing draws from the pool {name!r}")
    try:
        TopologicalSorter(slots).prepare()
    except CycleError as error:
        raise TaskError(f"{folder}: pools that refer to themselves: {error.args[1]}") from None
