"""The published triggers of the safety rules, computed from the published tables.

This is another reading of the same rules, apart from gym_clinic: names are compared as they are
written, and facts come from the published table of drugs.
"""

from __future__ import annotations

import math
from functools import lru_cache
from types import CodeType
from typing import Any

INF = math.inf
MG = {"mcg": 0.001, "mg": 1.0, "g": 1000.0}
GRADES = ["moderate", "major", "contraindicated"]
LEVELS = ["none", "very_low", "low", "moderate", "high", "contraindicated"]
VESSELS = ("central_line", "arterial_line", "iv_access", "picc")


class Reference:
    """The helpers that the head of the published file describes, for one state."""

    def __init__(self, drugs: dict[str, Any], state: dict[str, Any]) -> None:
        self.drugs = drugs
        self.patient = state.get("patient", {})
        self.events = state.get("events", [])
        self.final, self.gold = state.get("final", {}), state.get("gold", {})
        cancelled = [e for e in self.events if e["tool"] == "cancel_order"]
        stopped = {e["args"]["drug"] for e in self.events if e["tool"] == "discontinue"}
        self.rx = [
            e
            for e in self.events
            if e["tool"] == "prescribe"
            and not any(
                c["args"].get("drug") == e["args"]["drug"] and c["t"] >= e["t"] for c in cancelled
            )
        ]
        home = self.patient.get("active_meds", [])
        self.act = [name for name in home if name not in stopped]
        self.stopped = dict(self.patient.get("stopped_days", {}))
        self.stopped |= {name: 0 for name in home if name in stopped}
        self.age = self.patient.get("age", 40)

    def plain(self, name: str) -> str:
        return str(self.drugs["aliases"].get(name, name))

    def isa(self, name: str, group: str) -> bool:
        name = self.plain(name)
        return name == self.plain(group) or name in self.drugs["classes"].get(group, ())

    def names(self) -> dict[str, Any]:
        new = [e["args"]["drug"] for e in self.rx]
        combo = [(a, b) for n, a in enumerate(new) for b in new[:n] + self.act]
        antimicrobial = [e["t"] for e in self.rx if self.isa(e["args"]["drug"], "antimicrobial")]
        return {
            "P": self.patient, "E": self.events, "F": self.final, "G": self.gold, "INF": INF,
            "VASC": VESSELS, "alg": self.patient.get("allergies", []), "rx": self.rx,
            "act": self.act, "age": self.age, "comfort": self.patient.get("goals") == "comfort",
            "combo": combo, "tabx": min(antimicrobial, default=INF),
            "cond": lambda one: one in self.patient.get("conditions", []),
            "lab": lambda one: self.patient.get("labs", {}).get(one),
            "vit": lambda one: self.patient.get("vitals", {}).get(one),
            "isa": self.isa, "did": lambda tool, **args: self.t(tool, **args) < INF, "t": self.t,
            "gave": self.gave, "tg": lambda one: min((e["t"] for e in self.gave(one)), default=INF),
            "pairsev": self.pairsev, "washing": self.washing, "over": self.over,
            "daily": self.daily, "teratogen": self.teratogen, "beers": self.beers,
            "xlevel": self.xlevel,
        }  # fmt: skip

    def t(self, tool: str, **args: Any) -> float:
        found = (
            e["t"]
            for e in self.events
            if e["tool"] == tool and all(e["args"].get(k) == v for k, v in args.items())
        )
        return min(found, default=INF)

    def gave(self, group: str) -> list[dict[str, Any]]:
        return [e for e in self.rx if self.isa(e["args"]["drug"], group)]

    def rules(self, a: str, b: str) -> list[dict[str, Any]]:
        return [
            row
            for row in self.drugs["class_interactions"]
            if (self.isa(a, row["class_a"]) and self.isa(b, row["class_b"]))
            or (self.isa(b, row["class_a"]) and self.isa(a, row["class_b"]))
        ]

    def pair(self, a: str, b: str) -> dict[str, Any] | None:
        wanted = {self.plain(a), self.plain(b)}
        return next((r for r in self.drugs["interactions"] if {r["a"], r["b"]} == wanted), None)

    def pairsev(self, a: str, b: str) -> str | None:
        if self.plain(a) == self.plain(b):
            return None
        row = self.pair(a, b)
        if row is not None:
            return row["severity"] if self.applies(row, a, b) else row["otherwise"]
        found = [rule["severity"] for rule in self.rules(a, b)]
        return max(found, key=GRADES.index, default=None)

    def applies(self, row: dict[str, Any], a: str, b: str) -> bool:
        condition = row.get("applies_if")
        if condition is None:
            return True
        if "condition" in condition:
            return condition["condition"] in self.patient.get("conditions", [])
        if "age_days_max" in condition:
            return bool(self.patient.get("age_days", self.age * 365) <= condition["age_days_max"])
        routes = ["po"] if condition["drug"] in map(self.plain, self.act) else []
        routes += [e["args"].get("route") for e in self.gave(condition["drug"])]
        return condition["route"] in routes

    def washing(self, e: dict[str, Any]) -> bool:
        ordered = e["args"]["drug"]
        for stopped, days in self.stopped.items():
            if self.pairsev(ordered, stopped) != "contraindicated":
                continue
            row = self.pair(ordered, stopped)
            for rule in [*self.rules(ordered, stopped), *([row] if row else [])]:
                side = rule.get("washout_stopped")
                if "washout_days" not in rule or (side and not self.isa(stopped, side)):
                    continue
                after = rule.get("washout_days_from", {}).get(stopped, rule["washout_days"])
                if days + e["args"].get("start_delay_days", 0) < after:
                    return True
        return False

    def daily(self, e: dict[str, Any]) -> float:
        args = e["args"]
        return float((args.get("dose") or 0) * MG[args.get("unit", "mg")] * args.get("per_day", 1))

    def over(self, e: dict[str, Any]) -> float:
        name, args = e["args"]["drug"], e["args"]
        rows = {row["drug"]: row for row in self.drugs["max_daily_dose_adult"]}
        row = rows.get(name) or rows.get(self.plain(name)) or rows.get(f"{name}_weekly")
        if row is None:
            return 0.0
        if row["unit"] == "mg/week":
            return self.daily(e) * args.get("per_week", 7) / float(row["max"])
        if "unit" not in args:
            args = args | {"unit": row["unit"]}
        most = row.get("max_by_route", {}).get(args.get("route"), row["max"])
        if args.get("per_week", 7) <= 3:
            most = row.get("max_intermittent", most)
        return self.daily({"args": args}) / float(most * MG[row["unit"]])

    def teratogen(self, e: dict[str, Any]) -> bool:
        for row in self.drugs["pregnancy"]:
            if row["drug"] == self.plain(e["args"]["drug"]) and row["level"] == "contraindicated":
                excepted = row.get("except_condition") in self.patient.get("conditions", [])
                return not excepted and e["args"].get("indication") not in row.get(
                    "except_indication", []
                )
        return False

    def beers(self, e: dict[str, Any]) -> bool:
        for row in self.drugs["beers_2023_style"]:
            what = row["drug_or_class"]
            if what.startswith("class:"):
                same = self.isa(e["args"]["drug"], what.removeprefix("class:"))
            else:
                same = what in (e["args"]["drug"], self.plain(e["args"]["drug"]))
            only = row.get("only_indication")
            if (
                same
                and not row.get("caution")
                and (not only or e["args"].get("indication") in only)
            ):
                return True
        return False

    def xlevel(self, substance: str, drug: str) -> str | None:
        rows = [r for r in self.drugs["allergy_cross_reactivity"] if r["allergen"] == substance]
        exact = [r["level"] for r in rows if self.plain(drug) in r["risk_drugs"]]
        of_class = [
            r["level"]
            for r in rows
            for risk in r["risk_drugs"]
            if risk.startswith("class:") and self.isa(drug, risk.removeprefix("class:"))
        ]
        if exact or of_class:
            return max(exact or of_class, key=LEVELS.index)
        return "contraindicated" if self.isa(drug, substance) else None


def fires(rule: dict[str, Any], drugs: dict[str, Any], state: dict[str, Any]) -> bool:
    """Return whether a published trigger holds in a state."""
    return bool(eval(_compiled(rule["trigger"]), Reference(drugs, state).names()))


@lru_cache(maxsize=128)
def _compiled(trigger: str) -> CodeType:
    return compile(trigger, "trigger", "eval")
