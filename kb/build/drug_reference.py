"""Takes a reference table of drugs (YAML) into the fact tables.

What the table says replaces what an earlier one said; words of our own, such as summaries and
effects, stay. Names become those of the tables by ``drug_names.json``: international names, with
the name in the reference as a synonym; classes that have other members than one of ours get an id
of their own, so that a rule holds for exactly the members that its source gave it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from gym_clinic.errors import ConfigError, TaskError
from gym_clinic.facts.records.drugs import CLASS, plain_name
from gym_clinic.facts.tables import (
    ALLERGIES,
    DRUG_CLASSES,
    DRUGS,
    INTERACTIONS,
)

SOURCE = "drug-table"
"""Key of the source of what is taken."""

PAIRS, RULES, TOLD = "pairs.json", "classes.json", "told.json"
"""Files of interactions: graded pairs, graded rules of classes, and those that nobody graded."""

_NAMES = json.loads(Path(__file__).with_name("drug_names.json").read_text(encoding="utf-8"))
_RANGE = re.compile(r"(eGFR|CrCl) ?(<=|<|>=|>)([0-9]+)|(eGFR|CrCl) ([0-9]+)-([0-9]+)")
_WORDING = [(re.compile(pattern), words) for pattern, words in _NAMES["wording"]]
_LIMITS = {"<": "below", "<=": "at_most", ">": "above", ">=": "at_least"}

Table = dict[str, Any]


def read_reference(path: Path) -> Table:
    """Read a YAML file.

    Raises:
        ConfigError: If it cannot be read.
    """
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        return dict(yaml.load(path.read_text(encoding="utf-8"), Loader=loader))
    except (OSError, yaml.YAMLError, ValueError) as error:
        raise ConfigError(f"cannot read {path}: {error}") from None


class DrugReference:
    """A reference table of drugs in our names.

    Args:
        table: The table, as read from YAML.
        drugs: The records of our drugs, whose synonyms are known too.
    """

    def __init__(self, table: Table, drugs: list[Table]) -> None:
        self.table = table
        self.aliases: dict[str, str] = table["aliases"]
        self.ours = {
            plain_name(name): one["id"]
            for one in drugs
            for name in (*one.get("synonyms", ()), one["name"], one["id"])
        }

    def drug(self, name: str) -> str:
        """Return the id of a drug; a form of it has the id of the drug."""
        name = self.aliases.get(name, name)
        found = _NAMES["drugs"].get(name) or self.ours.get(plain_name(name))
        return str(found or name.replace("_", "-"))

    def form(self, name: str) -> str | None:
        """Return the form that a name means; None where it means the drug."""
        return plain_name(name) if name in self.aliases else None

    def class_id(self, name: str) -> str:
        """Return the id of a class."""
        return str(_NAMES["classes"].get(name, [name.replace("_", "-")])[0])

    def reference(self, name: str) -> str:
        """Return the reference to a class, a drug, or the only drug of a class."""
        bare = name.removeprefix(CLASS)
        if bare in _NAMES["single"]:
            return str(_NAMES["single"][bare])
        known = bare in self.table["classes"] or bare in _NAMES["classes"]
        if name.startswith(CLASS) or (known and bare not in self.drug_names):
            return CLASS + (self.class_id(bare) if known else bare)
        return self.drug(bare)

    @property
    def drug_names(self) -> set[str]:
        """Names that the table has for drugs."""
        table = self.table
        names = {row[side] for row in table["interactions"] for side in "ab"}
        names |= {*table["cyp"], *self.aliases, *self.aliases.values()}
        names |= {name for members in table["classes"].values() for name in members}
        for key in ("pregnancy", "renal", "max_daily_dose_adult"):
            names |= {row["drug"] for row in table[key]}
        risks = [name for row in table["allergy_cross_reactivity"] for name in row["risk_drugs"]]
        rules = [row["drug_or_class"] for row in table["beers_2023_style"]]
        names |= {name for name in (*risks, *rules) if not name.startswith(CLASS)}
        return names - set(_NAMES["regimens"])

    def interactions(self) -> Iterator[Table]:
        """Yield the graded interactions."""
        for row in self.table["interactions"]:
            yield self._interaction(row, [self.drug(row["a"]), self.drug(row["b"])])
        for row in self.table["class_interactions"]:
            sides = [row["class_a"], row["class_b"]]
            sides = _NAMES["together"].get(" / ".join(sides), sides)
            yield self._interaction(row, [self.reference(side) for side in sides])

    def _interaction(self, row: Table, between: list[str]) -> Table:
        made = _some(
            between=between,
            severity=row["severity"],
            otherwise=row.get("otherwise"),
            mechanism=_worded(row["mechanism"]),
            management=_worded(row["management"]),
            verified_against=row["verified_against"],
        )
        if condition := dict(row.get("applies_if", {})):
            for key in condition.keys() & {"drug"}:
                condition[key] = self.drug(condition[key])
            made["applies_if"] = condition
        if "washout_days" in row:
            after = {self.drug(key): days for key, days in row.get("washout_days_from", {}).items()}
            stopped = row.get("washout_stopped")
            made["washout"] = _some(
                days=row["washout_days"],
                days_from=after,
                stopped=stopped and self.reference(stopped),
            )
        return made

    def classes(self) -> dict[str, list[str]]:
        """Return the ids of the classes of each drug, and of the classes that those are part of."""
        found: dict[str, list[str]] = {self.drug(name): [] for name in sorted(self.drug_names)}
        for name, members in self.table["classes"].items():
            if name not in _NAMES["single"]:
                key = self.class_id(name)
                for member in members:
                    found[self.drug(member)] += [key, *_NAMES["part_of"].get(key, ())]
        return {drug: list(dict.fromkeys(keys)) for drug, keys in found.items()}

    def facts(self, name: str) -> Iterator[tuple[str, str | None, Table]]:
        """Yield the id, the form and the row of every row of a list of the table."""
        for row in self.table[name]:
            yield self.drug(row["drug"]), self.form(row["drug"]), row

    def cross_reactions(self) -> Iterator[Table]:
        """Yield what the table says of allergies."""
        for row in self.table["allergy_cross_reactivity"]:
            allergen = row["allergen"]
            yield {
                "allergen": _NAMES["allergens"].get(allergen) or self.reference(allergen),
                "risk": [self.reference(name) for name in row["risk_drugs"]],
                "level": row["level"],
                "note": _worded(row["note"]),
            }

    def older_adults(self) -> Iterator[tuple[str, Table]]:
        """Yield the drug or class of every rule for older adults, and the rule."""
        for row in self.table["beers_2023_style"]:
            key, form = row["drug_or_class"], self.form(row["drug_or_class"])
            reference = None
            if key in _NAMES["regimens"]:
                of_class, form = _NAMES["regimens"][key]
                reference = CLASS + of_class
            yield (
                reference or self.reference(key),
                _some(
                    rule=_worded(row["rule"]),
                    caution=row.get("caution"),
                    only_indications=_slugs(row.get("only_indication", ())),
                    form=form,
                ),
            )


def take_drugs(folder: Path, tables: Mapping[Path, Table], reference: Table) -> dict[Path, Table]:
    """Return the tables of drugs with what a reference says.

    Args:
        folder: The fact tables.
        tables: What they hold.
        reference: The reference, as read from YAML.

    Raises:
        TaskError: If a rule of the reference stands for other drugs than here.
    """
    changed = {
        file: tables[file] for file in (folder / DRUGS, folder / DRUG_CLASSES, folder / ALLERGIES)
    }
    records: list[Table] = changed[folder / DRUGS]["records"]
    taken = DrugReference(reference, records)
    drugs = {one["id"]: one for one in records}
    _take_names(taken, drugs)
    _take_limits(taken, drugs)
    classes = {one["id"]: one for one in changed[folder / DRUG_CLASSES]["records"]}
    _take_classes(taken, drugs, classes)
    changed[folder / DRUGS]["records"] = sorted(drugs.values(), key=lambda one: one["id"])
    changed[folder / DRUG_CLASSES]["records"] = sorted(classes.values(), key=lambda one: one["id"])
    own = [one for one in changed[folder / ALLERGIES]["records"] if SOURCE not in _sources(one)]
    changed[folder / ALLERGIES]["records"] = [*taken.cross_reactions(), *own]
    return changed | _take_interactions(folder, tables, taken)


def _sources(record: Table) -> list[str]:
    """The sources that a record names; those of the allergies come from the reference alone."""
    return list(record.get("sources", [SOURCE]))


def _take_names(taken: DrugReference, drugs: dict[str, Table]) -> None:
    for name in sorted(taken.drug_names):
        key = taken.drug(name)
        if key not in drugs:
            title = key.replace("-", " ")
            title = _NAMES["titles"].get(key, title[0].upper() + title[1:])
            drugs[key] = {"id": key, "name": title, "sources": [SOURCE]}
        one = drugs[key]
        synonyms = one.setdefault("synonyms", [])
        known = {plain_name(text) for text in (key, one["name"], *synonyms)}
        if plain_name(name) not in known:
            synonyms.append(plain_name(name))


def _take_limits(taken: DrugReference, drugs: dict[str, Table]) -> None:
    for one in drugs.values():
        for field in ("max_daily_doses", "renal", "pregnancy", "older_adults", "metabolism"):
            one.pop(field, None)
    for key, form, row in taken.facts("max_daily_dose_adult"):
        limit = _some(
            maximum=row["max"],
            unit=row["unit"],
            form=form,
            by_route=row.get("max_by_route"),
            intermittent=row.get("max_intermittent"),
            note=_worded(row["note"]),
            verified_against=row["verified_against"],
        )
        drugs[key].setdefault("max_daily_doses", []).append(limit)
    for one in drugs.values():
        if limits := one.get("max_daily_doses"):
            plain = {(row["maximum"], row["unit"]) for row in limits if "form" not in row}
            one["max_daily_doses"] = [  # a form that has the limit of the drug says nothing new
                row
                for row in limits
                if "form" not in row or (row["maximum"], row["unit"]) not in plain
            ]
    for key, _, row in taken.facts("renal"):
        drugs[key].setdefault("renal", []).append(_renal_rule(row))
    for key, _, row in taken.facts("pregnancy"):
        drugs[key]["pregnancy"] = _some(
            level=row["level"],
            reason=_worded(row["reason"]),
            except_conditions=_slugs([row[key] for key in ("except_condition",) if key in row]),
            except_indications=_slugs(row.get("except_indication", ())),
        )
    for name, row in taken.table["cyp"].items():
        drugs[taken.drug(name)]["metabolism"] = _some(
            substrate_of=row["substrate"],
            prodrug=row.get("prodrug_activation"),
            inhibits=row["inhibitor"],
            induces=row["inducer"],
        ) or {"substrate_of": []}
    for reference, rule in taken.older_adults():
        if not reference.startswith(CLASS):
            drugs[reference].setdefault("older_adults", []).append(rule)
    with_facts = {"max_daily_doses", "renal", "pregnancy", "older_adults", "metabolism"}
    for one in drugs.values():
        if one.keys() & with_facts and SOURCE not in (sources := one.get("sources", ["authored"])):
            one["sources"] = [*sources, SOURCE]


def _take_classes(taken: DrugReference, drugs: dict[str, Table], classes: dict[str, Table]) -> None:
    titles = dict(_NAMES["classes"].values()) | _NAMES["class_titles"]
    for key, names in taken.classes().items():
        of_drug = drugs[key].setdefault("classes", [])
        of_drug += [name for name in names if name not in of_drug]
        for name in names:
            if name not in classes:
                title = titles.get(name, name.replace("-", " "))
                classes[name] = {"id": name, "name": title, "sources": [SOURCE]}
    for one in classes.values():
        one.pop("older_adults", None)
    for reference, rule in taken.older_adults():
        if reference.startswith(CLASS):
            classes[reference.removeprefix(CLASS)].setdefault("older_adults", []).append(rule)
    for name, members in taken.table["classes"].items():
        theirs = {taken.drug(member) for member in members}
        if name not in _NAMES["single"]:
            own = taken.class_id(name)
            ours = {key for key, one in drugs.items() if own in one.get("classes", ())}
            generic = {key for key in ours if drugs[key].get("summary") and key not in theirs}
            if ours - theirs - generic:
                raise TaskError(f"class {name}: other members here: {sorted(ours - theirs)}")


def _take_interactions(
    folder: Path, tables: Mapping[Path, Table], taken: DrugReference
) -> dict[Path, Table]:
    files = {name: folder / INTERACTIONS / name for name in (PAIRS, RULES, TOLD)}
    defaults = tables[files[TOLD]]["defaults"]
    graded = {"severity", "applies_if", "otherwise", "mechanism", "management", "washout"}
    known: dict[str, Table] = {}
    for file in files.values():
        for one in tables.get(file, {"records": []})["records"]:
            told = {key: value for key, value in one.items() if key not in graded}
            told.pop("verified_against", None)
            told.pop("sources", None)
            if "effect" in told or "differs" in told:
                known[_key(told["between"])] = told
    made: dict[str, list[Table]] = {name: [] for name in files}
    for one in taken.interactions():
        told = known.pop(_key(one["between"]), {})
        sources = [SOURCE, "authored"] if told else [SOURCE]
        name = RULES if any(side.startswith(CLASS) for side in one["between"]) else PAIRS
        made[name].append(one | told | {"sources": sources})
    made[TOLD] = list(known.values())
    return {files[name]: {"defaults": defaults, "records": rows} for name, rows in made.items()}


def _key(between: list[str]) -> str:
    return " + ".join(sorted(between))


def _renal_rule(row: Table) -> Table:
    found = _RANGE.fullmatch(row["threshold"])
    if not found:
        limits: Table = {"when": row["threshold"]}
    elif found[1]:
        limits = {"measure": found[1], _LIMITS[found[2]]: float(found[3])}
    else:
        limits = {"measure": found[4], "at_least": float(found[5]), "at_most": float(found[6])}
    verified = row.get("verified_against")
    return _some(**limits, action=_worded(row["action"]), verified_against=verified)


def _worded(text: str) -> str:
    """Return a text of the table in the spelling and the words of ours."""
    for pattern, words in _WORDING:
        text = pattern.sub(words, text)
    return text


def _slugs(names: Any) -> list[str]:
    return [name.replace("_", "-") for name in names]


def _some(**fields: Any) -> Table:
    """Return the fields that hold something."""
    return {name: value for name, value in fields.items() if value not in (None, "", [], (), {})}
