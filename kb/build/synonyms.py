"""Names and exact synonyms of the HPO's terms, by which the linker recognises findings.

They come from an HPO file in the OBO format, whose release the sources name, under the HPO's
licence (hpo.jax.org: free with attribution and version; no name is altered), and are kept apart
from our own terms in ``facts/terms/hpo-synonyms.json``. Left out is what our own tables already
say, what they say of another finding, what two findings share, the name of a disease that is not
one of the finding, and what ``left_out_synonyms.json`` names: everyday words, and names that are
narrower or wider than the finding as clinicians speak.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import orjson

from gym_clinic.errors import ConfigError
from gym_clinic.facts.naming import words
from gym_clinic.facts.records.terms import TERMS, read_terms
from gym_clinic.facts.tables import load
from gym_clinic.retrieval.graph.wording import Key, keys_of

FILE = "hpo-synonyms.json"
"""The file of terms that this module writes."""

LEFT_OUT = Path(__file__).with_name("left_out_synonyms.json")
"""Names that are not taken: name of the finding -> its synonyms."""

_EXACT = re.compile(r'synonym: "(.*)" EXACT ')
_MARKS = re.compile(r"[(){}|\[\]]")

DEFAULTS = {"sources": ["hpo"], "provenance": "sourced", "reviewed": "2026-11-22"}


def read_names(obo: Path) -> Iterator[tuple[str, str]]:
    """Yield the id of each term of an OBO file with its name, and with each exact synonym.

    Raises:
        ConfigError: If the file cannot be read or holds no term of the HPO.
    """
    try:
        lines = obo.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"HPO file {obo}: {error}") from error
    if not any(line.startswith("id: HP:") for line in lines):
        raise ConfigError(f"HPO file {obo}: no term of the HPO")
    id = ""
    for line in lines:
        if line.startswith("id: "):
            id = line[4:].strip()
        elif line.startswith("name: "):
            yield id, line[6:].strip()
        elif match := _EXACT.match(line):
            yield id, match[1].replace("\\", "")


def synonyms(folder: Path, obo: Path, left_out: Path = LEFT_OUT) -> dict[str, Any]:
    """Return the table of the HPO's synonyms of the findings.

    Args:
        folder: The fact tables.
        obo: The HPO in the OBO format.
        left_out: Synonyms that are not taken.

    Raises:
        ConfigError: If the HPO file cannot be read, or a name that is left out is not in it.
    """
    facts = load(folder)
    refused = {
        (name, one) for name, found in orjson.loads(left_out.read_bytes()).items() for one in found
    }
    ours = _own_keys(folder)
    diseases = {
        words(name) for one in facts.diseases.values() for name in (one.name, *one.synonyms)
    }
    unread = set(refused)
    found: dict[str, dict[Key, str]] = {}
    for id, name in read_names(obo):
        finding = facts.phenotypes.get(id)
        if finding is None:
            continue
        unread.discard((finding.name, name))
        known = {words(one) for one in (finding.name, *finding.synonyms)}
        if (finding.name, name) in refused or words(name) in known | diseases:
            continue
        if _MARKS.search(name) or (len(name) <= 5 and name.isupper()):
            continue
        for key in keys_of(name):
            if key not in ours:
                found.setdefault(id, {}).setdefault(key, name)
    if unread:
        raise ConfigError(f"{left_out.name}: not in the HPO: {sorted(unread)}")
    shared = Counter(key for names in found.values() for key in names)
    records = []
    for id in sorted(found, key=lambda id: facts.phenotypes[id].name.casefold()):
        terms = sorted({name for key, name in found[id].items() if shared[key] == 1})
        if terms:
            records.append({"id": id, "name": facts.phenotypes[id].name, "terms": terms})
    return {"defaults": DEFAULTS, "records": records}


def with_synonyms(
    folder: Path, tables: Mapping[Path, dict[str, Any]], obo: Path
) -> dict[Path, dict[str, Any]]:
    """Return the tables with the HPO's synonyms taken anew.

    Args:
        folder: The fact tables.
        tables: Their content by file.
        obo: The HPO in the OBO format.

    Raises:
        ConfigError: If a file cannot be read, or what is left out is not in it.
    """
    return {**tables, folder / TERMS / FILE: synonyms(folder, obo)}


def _own_keys(folder: Path) -> set[Key]:
    """Return the keys of our own names and terms, in their order."""
    found: set[Key] = set()
    for one in load(folder).phenotypes.values():
        found.update(
            key for name in (one.name, *one.synonyms) for key in keys_of(_MARKS.sub(" ", name))
        )
    for record in read_terms(folder, without=(FILE,)).values():
        for term in record.terms:
            found.update(keys_of(term.removeprefix("=")))
        found.update(key for text in record.denials for key in keys_of(text))
    return found
