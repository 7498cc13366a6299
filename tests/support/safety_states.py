"""Random states near published examples, for comparing two readings of the safety rules."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

Fields = dict[str, Any]

CONDITIONS = [
    "diabetes", "malignancy", "ectopic_pregnancy", "intracranial_hemorrhage", "aortic_dissection",
    "active_major_bleeding", "acute_severe_asthma", "ecg_hyperkalemia_changes", "digoxin_toxicity",
    "severe_immunosuppression", "postmenopausal", "post_tonsillectomy", "influenza", "varicella",
    "chronic_hyponatremia", "high_ods_risk", "mechanical_heart_valve", "wide_qrs_or_paced",
    "cardiac_arrest", "myasthenia_gravis",
]  # fmt: skip
EMERGENCIES = [
    "stroke", "stemi", "septic_shock", "anaphylaxis", "tension_pneumothorax", "eclampsia",
    "severe_preeclampsia", "hypoglycemia", "pe", "nstemi",
]  # fmt: skip
COMMON = [
    "alteplase", "warfarin", "epinephrine", "magnesium_sulfate", "dextrose", "glucagon", "morphine",
    "potassium_chloride", "insulin_regular", "ibuprofen", "aspirin", "codeine", "methotrexate",
    "acetaminophen", "meropenem", "metformin", "lithium_carbonate", "digoxin", "vancomycin",
]  # fmt: skip
LABS = {
    "glucose": [40, 54, 69, 100],
    "potassium": [2.0, 4, 6.5, 7],
    "egfr": [15, 29, 30, 80],
    "inr": [1.0],
}
VITALS = {"gcs": [8, 15], "rr": [6, 8, 16], "qtc": [440, 500, 549, 550]}
MINUTES = [0, 1, 2, 5, 10, 11, 15, 16, 25, 26, 30, 31, 60, 61, 90, 91, 400]
INJECTED = {"epinephrine", "iv_calcium", "calcium_gluconate", "calcium_chloride"}
OTHERS: list[tuple[str, Fields]] = [
    *[("order_test", {"test": one}) for one in ("ct_head", "mri_brain", "ctpa", "hcg", "inr")],
    ("order_test", {"test": "blood_culture"}),
    ("order_test", {"test": "cbc", "serial": True}),
    *[("procedure", {"name": one}) for one in ("cpr", "intubation", "restraint", "central_line")],
    ("procedure", {"name": "chest_tube", "side": "left", "invasive": True}),
    ("procedure", {"name": "colonoscopy", "invasive": True, "emergency_exception": True}),
    ("consent", {"procedure": "colonoscopy", "status": "given"}),
    *[("activate", {"pathway": one}) for one in ("cath_lab", "pci_transfer")],
    *[("consult", {"service": one}) for one in ("psychiatry", "surgery")],
    *[(one, {}) for one in ("assess_suicide_risk", "bridge_plan", "interpreter", "deescalation")],
    *[(one, {}) for one in ("get_labs", "get_allergies", "get_patient_record", "get_medications")],
    *[(one, {}) for one in ("check_interaction", "reconcile_medications", "record_preference")],
    ("monitor", {"test": "ecg"}),
    ("get_result", {"test": "creatinine"}),
    ("acknowledge_result", {"result_id": "r1"}),
    ("disclose", {"recipient": "employer"}),
    ("disclose", {"recipient": "public_health", "legal_duty": True}),
    ("calculate", {"instrument": "x", "inputs": {"creatinine": 1.0}}),
    ("cancel_order", {"test": "troponin", "reason": "insurance"}),
]


class _Writer:
    """Writes one state from a source of randomness."""

    def __init__(self, random: Random, drugs: Fields) -> None:
        self.random, self.drugs = random, drugs
        names = {name for members in drugs["classes"].values() for name in members}
        for key in ("pregnancy", "renal", "max_daily_dose_adult"):
            names |= {row["drug"] for row in drugs[key]}
        self.names = sorted(names - {"lithium"})

    def drug(self) -> str:
        draw = self.random.random()
        if draw < 0.3:
            name = str(self.random.choice(self.drugs["interactions"])[self.random.choice("ab")])
            return "lithium_carbonate" if name == "lithium" else name
        return self.random.choice(COMMON if draw < 0.45 else self.names)

    def some(self, share: float, **makers: Callable[[], Any]) -> Fields:
        return {key: make() for key, make in makers.items() if self.random.random() < share}

    def patient(self) -> Fields:
        pick, sample = self.random.choice, self.random.sample
        allergens = [row["allergen"] for row in self.drugs["allergy_cross_reactivity"]]
        return (
            self.some(
                0.5,
                age=lambda: pick([0, 3, 8, 15, 17, 18, 30, 54, 56, 64, 65, 80]),
                sex=lambda: pick(["male", "female"]),
                conditions=lambda: sample(CONDITIONS, self.random.randint(0, 4)),
            )
            | self.some(
                0.3,
                pregnant=lambda: pick([True, False]),
                active_meds=lambda: [self.drug() for _ in range(self.random.randint(1, 3))],
                stopped_days=lambda: {
                    pick(["phenelzine", "fluoxetine", "tadalafil", "enalapril", self.drug()]): pick(
                        [0, 1, 1.5, 7, 13, 14, 34, 35]
                    )
                },
                allergies=lambda: [
                    {
                        "substance": pick([*allergens, self.drug()]),
                        "severity": pick(["mild", "severe"]),
                        "type": pick(["allergy", "intolerance"]),
                    }
                ],
                labs=lambda: {key: pick(values) for key, values in LABS.items()},
                vitals=lambda: {key: pick(values) for key, values in VITALS.items()},
                weight_kg=lambda: pick([10, 20, 70]),
            )
            | self.some(
                0.1,
                ventilated=lambda: True,
                code_status=lambda: pick(["DNR", "DNI", "DNR_DNI", "full"]),
                code_status_suspended=lambda: True,
                has_capacity=lambda: pick([True, False]),
                refused=lambda: [pick(["pci", "intubation", self.drug()])],
                cssrs=lambda: pick(["high", "low"]),
                phq9_item9=lambda: pick([0, 1]),
                kdigo=lambda: pick([1, 2, 3]),
                padua=lambda: pick([3, 4]),
                curb65=lambda: pick([2, 3]),
                needs_interpreter=lambda: True,
                pathology_side=lambda: pick(["left", "right"]),
                critical_results=lambda: ["r1"],
            )
        )

    def order(self) -> Fields:
        pick = self.random.choice
        drug = self.drug()
        args = {"drug": drug} | self.some(
            0.6,
            dose=lambda: pick([0, 0.5, 1, 2, 5, 10, 50, 100, 500, 1000, 3000]),
            per_day=lambda: pick([1, 2, 4]),
            unit=lambda: pick(["mg", "mg", "mcg", "g"]),
            route=lambda: pick(["po", "iv", "im", "sc", "topical", "intrathecal"]),
        )
        args |= self.some(
            0.1,
            per_week=lambda: pick([1, 2, 3, 7]),
            indication=lambda: pick(["catheter_occlusion", "af", "chronic_pain", "hypertension"]),
            start_delay_days=lambda: pick([1, 14]),
            push=lambda: True,
            rate_meq_h=lambda: pick([10, 20, 25, 40, 45]),
            central_line=lambda: True,
        )
        if drug in INJECTED:
            args["route"] = "iv"
        return {"t": pick(MINUTES), "tool": "prescribe", "args": args}

    def events(self, home: list[str]) -> list[Fields]:
        made = [self.order() for _ in range(self.random.randint(0, 3))]
        new = [one["args"]["drug"] for one in made]
        for tool, args in self.random.sample(OTHERS, self.random.randint(0, 6)):
            made.append({"t": self.random.choice(MINUTES), "tool": tool, "args": dict(args)})
        if home and self.random.random() < 0.3:
            drug = self.random.choice(home)
            made.append({"t": 0, "tool": "discontinue", "args": {"drug": drug}})
        if new and self.random.random() < 0.2:
            drug = self.random.choice(new)
            made.append({"t": 500, "tool": "cancel_order", "args": {"drug": drug}})
        return made

    def final(self) -> Fields:
        pick = self.random.choice
        return self.some(
            0.2,
            disposition=lambda: pick(["home", "ward", "icu", "cath_lab"]),
            esi=lambda: self.random.randint(1, 5),
            diagnosis=lambda: "pe",
            follow_up=lambda: pick([{}, {"days": 3}]),
            citations=lambda: [pick(["a", "b"])],
            reported_labs=lambda: {"potassium": 4, "inr": 1.0},
            note=lambda: pick([{"plan": "x"}, {"plan": "x", "assessment": "y"}]),
            observation_min=lambda: pick([30, 60]),
            na_target_delta_24h=lambda: pick([8, 9, 10, 12]),
            emergency_exception=lambda: True,
        )

    def gold(self) -> Fields:
        pick = self.random.choice
        return self.some(0.3, emergency=lambda: pick(EMERGENCIES)) | self.some(
            0.15,
            in_window=lambda: pick([True, False]),
            esi=lambda: self.random.randint(1, 5),
            required_tests=lambda: [pick(["ctpa", "cbc"])],
            required_consults=lambda: ["surgery"],
            suspected_sepsis=lambda: True,
            culture_delay_gt_45min=lambda: True,
            twin_final=lambda: {"esi": 3},
            imminent_harm=lambda: True,
            needs_follow_up=lambda: False,
            preference_sensitive=lambda: True,
            retrieved_ids=lambda: ["a"],
        )


def random_state(random: Random, drugs: Fields, near: Fields) -> Fields:
    """Return a state near another: its fields stay, times may change, and others come to it.

    Args:
        random: The source of randomness.
        drugs: The published table of drugs.
        near: The state; its events are changed in place.
    """
    writer = _Writer(random, drugs)
    patient = writer.patient() if random.random() < 0.6 else {}
    if any("override_reason" in event["args"] for event in near["events"]):
        patient.pop("conditions", None)
    patient |= near["patient"]
    foreign = any("patient_id" in event["args"] for event in near["events"])
    events = near["events"] + ([] if foreign else writer.events(patient.get("active_meds", [])))
    for event in events:
        if random.random() < 0.15 and event["tool"] not in ("discontinue", "cancel_order"):
            event["t"] = random.choice(MINUTES)
    if foreign:  # an order of a drug for another patient counts here as that alone
        events = [event | {"tool": "activate"} for event in events if "patient_id" in event["args"]]
    events.sort(key=lambda event: float(event["t"]))
    return {
        "patient": patient,
        "events": events,
        "final": (writer.final() if random.random() < 0.5 else {}) | near["final"],
        "gold": (writer.gold() if random.random() < 0.5 else {}) | near["gold"],
    }
