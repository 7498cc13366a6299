"""Rules on the content of the embedded tables and passages, as a physician would check them."""

from __future__ import annotations

import itertools
import json
import re
from collections import Counter, defaultdict

from clingen_rows import FOLDER, SPLITS

from gym_clinic.facts import Facts, ancestors, restates_diagnosis, with_ancestors
from gym_clinic.facts.passages import HandbookPassage
from gym_clinic.facts.passages.sentences import american_spellings

NAMED_BY_THE_FINDING = {
    ("alcohol-use-disorder", "Alcohol craving"),
    ("antiphospholipid-syndrome", "Antiphospholipid antibody positivity"),
    ("bell-palsy", "Facial palsy"),
    ("burn-injury", "Burned skin"),
    ("compartment-syndrome", "Raised compartment pressure"),
    ("ehlers-danlos-syndrome-hypermobile-type", "Joint hypermobility"),
    ("familial-ectopia-lentis", "Ectopia lentis"),
    ("hypertension", "Hypertensive retinopathy"),
    ("insomnia-disorder", "Maintenance insomnia"),
    ("insomnia-disorder", "Sleep onset insomnia"),
    ("interstitial-cystitis", "Bladder pain"),
    ("microbial-keratitis", "Corneal ulceration"),
    ("neonatal-jaundice", "Prolonged neonatal jaundice"),
    ("panic-disorder", "Panic attack"),
    ("parkinson-disease", "Parkinsonism"),
    ("polycystic-ovary-syndrome", "Polycystic ovaries"),
    ("raynaud-disease", "Raynaud phenomenon"),
    ("restless-legs-syndrome", "Restless legs"),
    ("sickle-cell-disease", "Sickled red cells"),
    ("tetanus", "Trismus"),
    ("von-willebrand-disease", "Reduced von Willebrand factor activity"),
}
"""Diseases that are named after their main finding, which their profile needs."""

BOTH_WAYS = {
    "abdominal-aortic-aneurysm": "pressure falls when it ruptures",
    "aortic-dissection": "pressure falls when it ruptures",
    "cytomegalovirus-infection": "lymphocytes rise in health; white cells fall without defences",
    "digoxin-toxicity": "the heart may be slow or fast",
    "gestational-diabetes": "the mother's glucose is high, the newborn's may fall",
    "major-depressive-disorder": "sleep may be short or long",
    "opioid-use-disorder": "pupils are small under the drug and large in withdrawal",
    "phaeochromocytoma": "pressure falls on standing up",
    "renal-cell-carcinoma": "erythropoietin or chronic disease",
    "sepsis": "temperature may rise or fall",
    "subacute-thyroiditis": "hormone is released first and lacking later",
    "type-2-diabetes-mellitus": "the obese lose weight when glucose is very high",
}
"""Diseases that have a finding and its opposite -> why."""

AMERICAN_ELSEWHERE = {
    "cryoglobulinaemic-vasculitis",
    "gastrointestinal-haemorrhage-from-peptic-ulcer",
}
"""Diseases with another American name: a respelt one would match a wrong id."""

SHINGLE = 5
"""Words in a row that are compared between passages."""


def test_no_finding_restates_its_disease(facts: Facts) -> None:
    told = {
        (one.id, finding.name)
        for one in facts.diseases.values()
        for has in one.phenotypes
        if not has.frequency.absent
        and restates_diagnosis(one, finding := facts.phenotypes[has.phenotype])
    }
    assert told == NAMED_BY_THE_FINDING


def test_no_finding_of_the_own_vocabulary_is_an_infection(facts: Facts) -> None:
    for one in facts.phenotypes.values():
        assert not (one.id.startswith("sym-") and one.name.endswith(" infection")), one.id


def test_findings_do_not_contradict_each_other(facts: Facts) -> None:
    found = set()
    for one in facts.diseases.values():
        having = {has.phenotype for has in one.phenotypes if not has.frequency.absent}
        if any(facts.opposites[key] & with_ancestors(having, facts.above) for key in having):
            found.add(one.id)
    assert found == set(BOTH_WAYS)


def test_no_disease_lacks_what_one_of_its_findings_implies(facts: Facts) -> None:
    above = ancestors(facts.phenotypes)
    for one in facts.diseases.values():
        present = {has.phenotype for has in one.phenotypes if not has.frequency.absent}
        lacking = {has.phenotype for has in one.phenotypes if has.frequency.absent}
        assert not with_ancestors(present, above) & lacking, one.id


def test_no_disease_has_findings_of_both_sexes(facts: Facts) -> None:
    """A patient is drawn from the findings of a disease, each by itself."""
    male = re.compile(
        r"testic|scrot|prostat|erectile|urethral discharge|priapism|orchitis|hydrocele|cryptorch"
        r"|\bmale infert|macroorch|ejacul|varicocele|gynecomastia",
        re.IGNORECASE,
    )
    female = re.compile(
        "vagin|menorrh|menstr|uter(?:us|ine)|ovar|cervical motion|postcoital|pregnan|eclampsia"
        "|abortion|childbirth|vulv|fetal|hyperemesis|post-?partum|galactorrhea",
        re.IGNORECASE,
    )
    for one in facts.diseases.values():
        names = " | ".join(
            facts.phenotypes[has.phenotype].name
            for has in one.phenotypes
            if not has.frequency.absent
        )
        assert not (male.search(names) and female.search(names)), (one.id, names)


def test_a_general_finding_is_as_frequent_as_a_special_one(facts: Facts) -> None:
    order = ["obligate", "very_frequent", "frequent", "occasional", "very_rare"]
    for one in facts.diseases.values():
        bands = {
            facts.phenotypes[has.phenotype].name: order.index(has.frequency.band)
            for has in one.phenotypes
            if has.frequency.band in order
        }
        for general, special in (
            ("Headache", "Thunderclap headache"),
            ("Hematuria", "Macroscopic hematuria"),
            ("Hematuria", "Microscopic hematuria"),
            ("Ataxia", "Gait ataxia"),
            ("Edema", "Pedal edema"),
            ("Lymphadenopathy", "Cervical lymphadenopathy"),
            ("Seizure", "Bilateral tonic-clonic seizure"),
            ("Muscle weakness", "Proximal muscle weakness"),
            ("Diarrhea", "Bloody diarrhea"),
        ):
            if general in bands and special in bands:
                assert bands[general] <= bands[special], (one.id, general, special)


def test_diseases_have_their_american_names(facts: Facts) -> None:
    for one in facts.diseases.values():
        known = set(re.findall(r"\w+", " ".join(one.synonyms).casefold()))
        if one.id not in AMERICAN_ELSEWHERE:
            assert set(american_spellings(one.name)) <= known, (
                one.id,
                american_spellings(one.name),
            )


def test_look_alikes_count_in_both_directions(facts: Facts) -> None:
    for one in facts.diseases.values():
        for other in one.look_alikes:
            assert one.id in facts.diseases[other].look_alikes, (one.id, other)


def test_sentences_have_sound_grammar(passages: list[HandbookPassage]) -> None:
    wrong = re.compile(
        r"\ba (?!eu|once?\b|one-|uni|use|usual|ure|uro|uri|ute)[aeiou][a-z]"
        r"|\b[Aa]n (?!hour|heir|honest)[bcdfghjklmnpqrstvwxyz][a-z]"
        r"|\b([a-z]+) \1\b|; and and|[a-z]\.[A-Z]| :|: [.;]"
    )
    for one in passages:
        # "hepatitis A and": the letter is no article
        text = re.sub(r"\b(hepatitis|vitamin|haemophilia|influenza) [A-E]\b", r"\1", one.text)
        found = wrong.search(text)
        assert not found, (one.id, text[max(0, found.start() - 30) : found.end() + 30])


def test_no_passage_repeats_another(passages: list[HandbookPassage]) -> None:
    """At most two thirds of the five-word runs of a passage occur in any other one."""
    shingles = []
    for one in passages:
        words = re.findall(r"\w+", one.text.casefold())
        shingles.append(set(zip(*(words[start:] for start in range(SHINGLE)), strict=False)))
    holders: defaultdict[tuple[str, ...], list[int]] = defaultdict(list)
    for number, runs in enumerate(shingles):
        for run in runs:
            holders[run].append(number)
    shared: Counter[tuple[int, int]] = Counter()
    for numbers in holders.values():
        # A run that hundreds share is the frame of the sentence.
        if len(numbers) <= 100:
            shared.update(itertools.combinations(numbers, 2))
    for (one, other), count in shared.items():
        part = count / min(len(shingles[one]), len(shingles[other]))
        assert part <= 2 / 3, (passages[one].id, passages[other].id, part)


def test_no_passage_cites_an_article(passages: list[HandbookPassage]) -> None:
    ids = re.compile(r"PMID|PMC ?[0-9]|\bdoi\b|10\.[0-9]{4,}/|arXiv", re.IGNORECASE)
    for one in passages:
        assert not ids.search(one.text + one.title), one.id


def test_no_passage_holds_an_answer_of_the_tasks(passages: list[HandbookPassage]) -> None:
    """No class beside a curated gene, no id of a task or its articles, and no note of a curator."""
    tasks = [
        json.loads(line)
        for split in SPLITS
        for line in (FOLDER / f"{split}.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    curations = [
        json.loads(line)
        for line in (FOLDER / "curations.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    genes = {one["gene"] for one in curations}
    classes = re.compile(
        "|".join(sorted({rf"\b{re.escape(one['classification'])}\b" for one in curations})), re.I
    )
    ids = re.compile(r"\b(?:SIMC?[0-9]+|MONDO:[0-9]+|HGNC:[0-9]+)\b")
    told = {item["summary"].casefold() for task in tasks for item in task["gold"]["evidence"]}
    runs = {run for text in told for run in _runs(text)}
    for one in passages:
        text = f"{one.title}. {one.text}"
        assert not ids.search(text), one.id
        assert not set(_runs(text.casefold())) & runs, one.id
        for sentence in re.split(r"(?<=[.;]) ", text):
            if genes & set(re.findall(r"[\w-]+", sentence)):
                assert not classes.search(sentence), (one.id, sentence)


def _runs(text: str) -> list[tuple[str, ...]]:
    """Return the runs of eight words of a text."""
    words = re.findall(r"\w+", text)
    return list(zip(*(words[start:] for start in range(8)), strict=False))
