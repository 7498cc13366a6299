"""Takes a reference table of clinical scores (YAML) into their declarations.

Inputs, points, formulas, ranges, bands and citations come from the table, in the grammar of
:mod:`gym_clinic.facts.expressions`; names for people, purposes and interpretations are ours and
stay. What the table says in words or in Python stands in ``instrument_forms.json``.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from gym_clinic.errors import TaskError
from gym_clinic.facts.expressions import parse
from gym_clinic.facts.tables import INSTRUMENTS

SOURCE = "instrument-table"
"""Key of the source of what is taken."""

Table = dict[str, Any]

_FORMS = json.loads(Path(__file__).with_name("instrument_forms.json").read_text(encoding="utf-8"))
_TYPES = {"bool": "boolean", "enum": "choice", "int_list": "integers"}
_SUBJECTS = {"icu": "intensive-care", "pediatrics": "paediatrics", "renal": "nephrology"}
_NO_UNIT = ("-", "n", "pts", "class")
_WORDS = (
    (re.compile(r"\bmath\."), ""),
    (re.compile(r"\bfloat\("), "number("),
    (re.compile(r"\b(\w+) is not None\b"), r"given(\1)"),
    (re.compile(r"\b(\w+) is None\b"), r"not given(\1)"),
    (re.compile(r"\((\w+) or 0\)"), r"value(\1, 0)"),
    (re.compile(r"mapcut\(age_months\)\[0\]"), "low_map"),
    (re.compile(r"mapcut\(age_months\)\[1\]"), "fair_map"),
    (re.compile(r"\bmax_component\b"), "highest_part"),
)
_ROUNDED = re.compile(r"round\((.*), ?([0-9])\)")
_LIMIT = re.compile(r"score ?(<=|>=|==|<|>) ?([0-9.]+)")


def take_instruments(
    folder: Path, tables: dict[Path, Table], reference: Table
) -> dict[Path, Table]:
    """Return the declarations with what a reference says, one file a subject.

    Args:
        folder: The fact tables.
        tables: What they hold.
        reference: The reference, as read from YAML.

    Raises:
        TaskError: If a score is new, and its purpose and the names of its inputs are not written.
    """
    found = {file: table for file, table in tables.items() if file.parent.name == INSTRUMENTS}
    ours = {one["id"]: one for table in found.values() for one in table["records"]}
    defaults = next(iter(found.values()))["defaults"]
    made: dict[Path, Table] = {}
    for row in reference["instruments"]:
        if row["status"] == "verify":
            continue
        if row["id"] not in ours:
            raise TaskError(f"score {row['id']}: expected a record with its name and purpose")
        subject = _SUBJECTS.get(row["domain"], row["domain"])
        file = folder / INSTRUMENTS / f"{subject}.json"
        table = made.setdefault(file, {"defaults": defaults, "records": []})
        table["records"].append(_declaration(row, ours[row["id"]], subject))
    return made


def in_grammar(text: str) -> str:
    """Return a Python expression of the table in the grammar of declarations.

    >>> in_grammar("(paco2 is not None and paco2<32) or (dopamine or 0)>15")
    'given(paco2) and paco2 < 32 or value(dopamine, 0) > 15'
    """
    for pattern, replacement in _WORDS:
        text = pattern.sub(replacement, text)
    return parse(ast.unparse(ast.parse(text, mode="eval"))).text


def _declaration(row: Table, ours: Table, subject: str) -> Table:
    form = _FORMS.get(row["id"], {})
    formula, decimals = row.get("formula_expr"), 0
    if "formula" in form:
        formula = form["formula"]
    elif formula and (rounded := _ROUNDED.fullmatch(formula)):
        formula, decimals = rounded[1], int(rounded[2])
    is_text = formula is not None and formula.startswith(("date_after", "weeks_and_days"))
    scored = "category" not in row and not is_text
    declared: Table = {
        "subject": subject,
        "inputs": list(_inputs(row, ours)),
        "requires": form.get("requires")
        or [in_grammar(one) for one in _listed(row.get("require"))],
        "values": [{"name": key, "formula": text} for key, text in form.get("values", {}).items()],
        "parts": [_part(part, row) for part in row.get("components", ())],
        "formula": formula and in_grammar(formula),
        "decimals": form.get("decimals", decimals) if scored else None,
        "step": form.get("step"),
        "total": [_number(end) for end in row.get("total_range", ())],
        "flags": list(_flags(row, ours, form)),
        "note": row.get("note"),
        "citation": row["citation"].replace(">=32", "of at least 32"),
        "status": row["status"],
        "verified_against": row.get("verified_against"),
        "sources": ["authored", SOURCE],
    }
    bands = form.get("bands") or list(_bands(row, declared))
    declared["bands"] = [_with_meaning(one, "band", ours, "bands") for one in bands]
    outcomes = form.get("outcomes") or list(_outcomes(row))
    declared["outcomes"] = [_with_meaning(one, "result", ours, "outcomes") for one in outcomes]
    return ours | declared


def _number(text: float | str) -> float:
    """Return a number, as an integer where it is whole."""
    number = float(text)
    return int(number) if number.is_integer() else number


def _listed(text: str | None) -> list[str]:
    return [text] if text else []


def _inputs(row: Table, ours: Table) -> Iterator[Table]:
    labels = {one["name"]: one["label"] for one in ours.get("inputs", ())}
    for one in row["inputs"]:
        if one["name"] not in labels:
            raise TaskError(f"score {row['id']}, input {one['name']}: expected a label")
        made: Table = {
            "name": one["name"],
            "label": labels[one["name"]],
            "type": _TYPES.get(one["type"], one["type"]),
        }
        if one.get("unit") not in (None, *_NO_UNIT):
            made["unit"] = one["unit"]
        if "min" in one:
            made |= {"low": _number(one["min"]), "high": _number(one["max"])}
        for field in ("choices", "length"):
            if field in one:
                made[field] = one[field]
        if not one["required"]:
            made["required"] = False
        if "default_if_missing" in one:
            made["default"] = one["default_if_missing"]
        yield made


def _part(part: Table, row: Table) -> Table:
    rules = [
        {"when": in_grammar(one["if"]), "points": _points(one["points"])}
        for one in part["first_match"]
    ]
    last = rules.pop()
    if last["when"] != "True":
        raise TaskError(f"score {row['id']}, part {part['name']}: the last rule has a condition")
    names = {name for one in rules for name in parse(one["when"]).names}
    inputs = [one["name"] for one in row["inputs"] if one["name"] in names]
    plain = re.fullmatch(r"[a-z_]{2,}[a-z0-9_]*", part["name"])
    name = inputs[0] if len(names) == 1 or not plain else part["name"]
    made: Table = {"name": name}
    if rules:
        made["rules"] = rules
    if last["points"] != 0:
        made["otherwise"] = last["points"]
    return made


def _points(text: str) -> float | str:
    try:
        return _number(text)
    except ValueError:
        return in_grammar(text)


def _flags(row: Table, ours: Table, form: Table) -> Iterator[Table]:
    meanings = {one["name"]: one["meaning"] for one in ours.get("flags", ())}
    for name, text in row.get("flags", {}).items():
        when = form.get("flags", {}).get(name) or in_grammar(text)
        yield {"name": name, "when": when, "meaning": meanings.get(name, name.replace("_", " "))}


def _bands(row: Table, declared: Table) -> Iterator[Table]:
    """Yield bands with their limits; the table gives conditions of which the first one holds."""
    bands = row.get("bands", ())
    plain = [one for one in bands if _LIMIT.fullmatch(one["if"]) or one["if"] == "True"]
    for one in bands:
        if one not in plain:
            yield {"band": one["value"], "when": in_grammar(one["if"])}
    step = declared["step"] or 10.0 ** -declared["decimals"] if bands else 1.0
    ends = declared["total"] or [None, None]
    edges = {float(number) for one in plain for _, number in _LIMIT.findall(one["if"])}
    points = sorted({round(edge + by * step, 6) for edge in edges for by in (-1, 0, 1)})
    points = [one for one in points if ends == [None, None] or ends[0] <= one <= ends[1]]
    made: list[Table] = []
    for score in points:
        value = next(one["value"] for one in plain if parse(one["if"]).compute({"score": score}))
        if not made or made[-1]["band"] != value:
            low = ends[0] if not made else score
            made.append({"band": value, "low": low})
        made[-1]["high"] = score
    if made:
        made[-1]["high"] = ends[1]
        for one in made:
            ends = {key: _number(one[key]) for key in ("low", "high") if one[key] is not None}
            yield {"band": one["band"], **ends}


def _outcomes(row: Table) -> Iterator[Table]:
    for one in row.get("category", ()):
        made = {"result": one["value"], "when": in_grammar(one["if"])}
        yield {key: text for key, text in made.items() if text != "True"}


def _with_meaning(one: Table, key: str, ours: Table, field: str) -> Table:
    meanings = {known[key]: known["meaning"] for known in ours.get(field, ())}
    order = (key, "low", "high", "when", "meaning")
    made = one | {"meaning": meanings.get(one[key], one[key].replace("_", " "))}
    return {name: made[name] for name in order if name in made}
