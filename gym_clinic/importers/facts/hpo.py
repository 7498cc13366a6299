"""The Human Phenotype Ontology (`hp.obo`, `hp.json`) -> terms.

Source:
    Human Phenotype Ontology, in OBO format or as OBO Graphs JSON.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

from gym_clinic.facts.typed_json import OnBroken, stop
from gym_clinic.importers.formats.obo import read_obo
from gym_clinic.importers.formats.obographs import read_obo_graph
from gym_clinic.importers.formats.ontology import Term, check_prefix, names
from gym_clinic.reading import open_text

PREFIX = "HP"


def read_hpo(path: str | os.PathLike[str], broken: OnBroken = stop) -> Iterator[Term]:
    """Read the ontology as OBO Graphs JSON.

    Args:
        path: The file.
        broken: Called with the error of a broken node or edge; if it returns, it is skipped.
            Raises the error by default.

    Yields:
        One term for each class, those of other ontologies that the file imports among them.

    Raises:
        ConfigError: If the file cannot be opened.
        TaskError: As `read_obo_graph`, and for another ontology.
    """
    return _checked(read_obo_graph, path, broken)


def read_hpo_obo(path: str | os.PathLike[str], broken: OnBroken = stop) -> Iterator[Term]:
    """Read the ontology in OBO format; as `read_hpo`."""
    return _checked(read_obo, path, broken)


def read_names(path: str | os.PathLike[str]) -> dict[str, str]:
    """Return the name of every id of the ontology, in either format.

    Raises:
        ConfigError: If the file cannot be opened.
        TaskError: As `read_hpo`.
    """
    with open_text(Path(path)) as file:
        graph = file.read(1 << 12).lstrip().startswith(b"{")
    return names(read_hpo(path) if graph else read_hpo_obo(path))


def _checked(
    read: Callable[[str | os.PathLike[str], OnBroken], Iterator[Term]],
    path: str | os.PathLike[str],
    broken: OnBroken,
) -> Iterator[Term]:
    terms = list(read(path, broken))
    check_prefix(terms, PREFIX, str(path))
    yield from terms
