"""What clinicians ask about and write as absent, by the system that the complaint touches."""

from __future__ import annotations

from collections.abc import Mapping

FEWEST_DENIED, MOST_DENIED = 3, 5
"""Absences that an author writes at most: drawn between the two."""

SMALL = 5.0
"""Age in years below which only what others see is written as absent."""

ASKED_ABOUT: Mapping[str, tuple[str, ...]] = {
    "chest": ("Chest pain", "Dyspnea", "Palpitations", "Cough", "Productive cough", "Hemoptysis",
              "Syncope", "Presyncope", "Orthopnea", "Wheezing", "Edema", "Pedal edema",
              "Calf swelling", "Fever", "Exertional dyspnea", "Pleuritic chest pain"),
    "abdomen": ("Vomiting", "Nausea", "Diarrhea", "Constipation", "Abdominal pain", "Hematemesis",
                "Melena", "Hematochezia", "Jaundice", "Dysphagia", "Heartburn", "Weight loss",
                "Dysuria", "Hematuria", "Urinary urgency", "Pollakisuria", "Flank pain", "Fever",
                "Poor appetite", "Bloody diarrhea", "Dark urine", "Poor feeding"),
    "pelvis": ("Abdominal pain", "Abnormal vaginal bleeding", "Abnormal vaginal discharge",
               "Pelvic pain", "Dysuria", "Hematuria", "Fever", "Nausea", "Vomiting", "Headache",
               "Visual disturbance", "Blurred vision", "Edema", "Flank pain", "Syncope",
               "Testicular pain", "Scrotal swelling", "Pollakisuria"),
    "head": ("Headache", "Vomiting", "Nausea", "Photophobia", "Seizure", "Syncope", "Confusion",
             "Loss of consciousness", "Visual disturbance", "Blurred vision", "Diplopia",
             "Visual loss", "Muscle weakness", "Paresthesia", "Dizziness", "Vertigo", "Dysarthria",
             "Slurred speech", "Fever", "Neck pain", "Thunderclap headache", "Tinnitus",
             "Hearing impairment", "Tongue biting", "Urinary incontinence", "Gait disturbance"),
    "mind": ("Suicidal ideation", "Auditory hallucinations", "Visual hallucinations", "Delusions",
             "Insomnia", "Anxiety", "Depression", "Panic attack", "Anhedonia", "Weight loss",
             "Poor appetite", "Palpitations", "Seizure", "Headache", "Fatigue", "Tremor"),
    "face": ("Fever", "Headache", "Visual loss", "Visual disturbance", "Blurred vision",
             "Diplopia", "Photophobia", "Ocular pain", "Ear pain", "Hearing impairment",
             "Ear discharge", "Tinnitus", "Pharyngalgia", "Dysphagia", "Odynophagia", "Drooling",
             "Hoarse voice", "Stridor", "Cough", "Rhinorrhea", "Neck pain", "Dyspnea", "Vertigo"),
    "limbs": ("Fever", "Arthralgia", "Joint swelling", "Muscle weakness", "Paresthesia",
              "Back pain", "Low back pain", "Morning stiffness", "Skin rash", "Weight loss",
              "Urinary incontinence", "Bowel incontinence", "Saddle anaesthesia", "Myalgia",
              "Neck pain", "Calf swelling", "Dyspnea", "Chest pain"),
    "skin": ("Fever", "Pruritus", "Skin rash", "Arthralgia", "Joint swelling", "Dyspnea",
             "Facial edema", "Wheezing", "Oral ulcer", "Pain", "Headache", "Photophobia",
             "Vomiting", "Cough", "Poor feeding"),
    "whole body": ("Fever", "Chills", "Night sweats", "Weight loss", "Poor appetite", "Cough",
                   "Dyspnea", "Chest pain", "Abdominal pain", "Vomiting", "Diarrhea", "Dysuria",
                   "Headache", "Skin rash", "Palpitations", "Syncope", "Polyuria", "Polydipsia",
                   "Confusion", "Edema", "Poor feeding", "Jaundice"),
}  # fmt: skip
"""Region of the complaint -> findings that are asked about, by name."""

SEEN_BY_OTHERS = (
    "Vomiting", "Diarrhea", "Fever", "Cough", "Wheezing", "Skin rash", "Seizure", "Stridor",
    "Poor feeding", "Jaundice", "Constipation", "Bloody diarrhea", "Hematochezia", "Drooling",
    "Rhinorrhea", "Ear discharge", "Facial edema", "Joint swelling", "Loss of consciousness",
    "Polyuria", "Polydipsia", "Hematemesis", "Poor appetite", "Edema", "Syncope", "Weight loss",
    "Scrotal swelling", "Hoarse voice",
)  # fmt: skip
"""What others notice in a small child or an unconscious patient."""


def is_asked_about(name: str, region: str, by_patient: bool) -> bool:
    """Return whether a clinician writes that a finding is absent.

    Args:
        name: Name of the finding.
        region: Region of the complaint.
        by_patient: Whether the patient speaks, of an age to tell what is felt.
    """
    return name in ASKED_ABOUT[region] and (by_patient or name in SEEN_BY_OTHERS)
