"""What the words of a question mean, where they seem to name something else."""

from __future__ import annotations

from collections.abc import Mapping

ABOUT_A_FINDING = ("onset", "course", "site", "spread", "severity", "quality", "relief")
"""Topics that are asked of a finding."""

UNKNOWN = ("contacts", "vaccines", "usual values", "unusual food")
"""Topics of which no record has anything."""

STAND_FOR: Mapping[str, tuple[str, ...]] = {
    "alcohol": ("Alcoholism",),
    "period": ("Amenorrhea",),
    "travel": ("Stay in the tropics",),
    "allergies": (
        "Food allergy",
        "Contact with an allergen",
        "Allergic rhinitis",
        "Immunologic hypersensitivity",
    ),
    "allergen contact": ("Allergy", "Food allergy", "Overdose of tablets"),
    "severity": ("Pain",),
    "quality": ("Pain",),
    "pain relief": ("Pain",),
    "opening": ("Malaise",),
    "relief": ("Pain eased by rest",),
    "medicines": ("Overdose of tablets", "Pain"),
    "mood before": ("Depression",),
    "meal": ("Anorexia",),
    "worry": ("Anxiety", "Excessive worry", "Fear of dying"),
    "waterworks": ("Urinary retention",),
    "now": ("Malaise",),
    "statement": ("Anxiety", "Excessive worry"),
}
"""Topic -> findings that a question about it may seem to name."""

DATED = ("alcohol", "allergies")
"""Of these topics those that are the finding itself when its beginning is asked about."""

INSTEAD_OF: Mapping[str, tuple[str, ...]] = {
    "allergen contact": ("allergies", "contacts", "meal", "exposure"),
    "exposure": ("medicines", "alcohol", "meal", "drugs", "often"),
    "feeding": ("meal",),
    "parity": ("pregnant", "often"),
    "contacts": ("home", "past", "family", "opening"),
    "usual values": ("past",),
    "unusual food": ("meal",),
    "self-harm": ("mood",),
    "high mood": ("mood",),
    "pain relief": ("medicines", "relief"),
    "trigger": ("relief", "opening", "now"),
    "before": ("past", "onset"),
    "cause": ("opening", "trigger"),
    "worry": ("opening", "more"),
    "questions": ("more", "opening"),
    "now": ("opening", "course"),
    "mood": ("now",),
    "below": ("blood loss",),
}
"""Topic -> topics that the words of a question about it only seem to ask."""

VOLUNTEERED = (
    "Fever", "Vomiting", "Nausea", "Diarrhea", "Cough", "Chest pain", "Headache", "Dyspnea",
    "Abdominal pain", "Dizziness", "Skin rash", "Weight loss", "Syncope", "Palpitations",
    "Back pain", "Chills", "Constipation", "Night sweats", "Blurred vision",
)  # fmt: skip
"""Findings whose absence people mention without being asked."""

ONLY_ALONE = ("waterworks", "below", "feeding", "nappies", "blood loss")
"""Areas that are left out where a finding is named."""

DENIED_PLAINLY = ("blood loss", "below")
"""Areas of which it is asked whether something is there, not how things are."""

DENIED_BY_NAME = ("exposure", "self-harm", "high mood", "allergen contact")
"""Areas whose first finding is denied where nothing is there."""

DEPRESSION = "major-depressive-disorder"
"""The illness that a question about an earlier low mood asks about."""
