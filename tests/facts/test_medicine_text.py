"""Lines of medicine charts: what each says, and that nothing in them is guessed."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gym_clinic.facts import load, parse_medicine, resolve
from gym_clinic.facts.drug_names import known_names
from gym_clinic.facts.medicine_text import MAX_CHARACTERS, Quantity
from gym_clinic.facts.medicine_words import medicine_words, parse_route
from gym_clinic.facts.named_drugs import nearest_drugs

LINES: list[tuple[str, list[str], dict[str, Any]]] = [
    ("WARFARIN 5 MG PO DAILY", ["warfarin"],
     {"dose": Quantity(5, "mg"), "route": "po", "per_day": 1}),
    ("Bactrim DS", ["trimethoprim-sulfamethoxazole"], {"form": "ds", "dose": None}),
    ("metoprolol succ ER 50mg qd", ["metoprolol"],
     {"form": "metoprolol succinate", "dose": Quantity(50, "mg"), "per_day": 1}),
    ("lisinopril-HCTZ 20-12.5", ["lisinopril", "hydrochlorothiazide"],
     {"dose": None, "strengths": (Quantity(20), Quantity(12.5))}),
    ("Tylenol #3", ["paracetamol", "codeine"], {"dose": None}),
    ("tylenol #3 1-2 tabs po q4-6h prn pain", ["paracetamol", "codeine"],
     {"dose": Quantity(2, "tablets", (), 1), "per_day": 6, "prn": True, "indication": "pain"}),
    ("Tylenol 3 tabs", ["paracetamol"], {"dose": Quantity(3, "tablets")}),
    ("ASA 81", ["aspirin"], {"dose": Quantity(81)}),
    ("amox/clav 875 BID", ["amoxicillin-clavulanate"], {"dose": Quantity(875), "per_day": 2}),
    ("insulin glargine 20u qHS", ["insulin-glargine"],
     {"dose": Quantity(20, "units"), "per_day": 1}),
    ("KCl 40 mEq IV", ["potassium-chloride"], {"dose": Quantity(40, "mEq"), "route": "iv"}),
    ("KCl 40 mmol IV push", ["potassium-chloride"], {"route": "iv", "manner": "push"}),
    ("albuterol neb q4h prn wheeze", ["salbutamol"],
     {"route": "inhaled", "per_day": 6, "prn": True, "indication": "wheeze"}),
    ("NS 1L bolus", ["saline"], {"dose": Quantity(1, "L"), "manner": "bolus"}),
    ("Augmentin XR", ["amoxicillin-clavulanate"], {"form": "er"}),
    ("heparin gtt", ["heparin"], {"route": "iv", "manner": "infusion"}),
    ("heparin 25,000 units in D5W 250 mL", ["heparin"], {"dose": Quantity(25000, "units")}),
    ("INH 300 mg PO daily", ["isoniazid"], {"route": "po", "per_day": 1}),
    ("albuterol 2 puffs INH q4h", ["salbutamol"],
     {"route": "inhaled", "dose": Quantity(2, "puffs")}),
    ("Tylenol 650 mg p.o. q.6.h. p.r.n. fever", ["paracetamol"],
     {"route": "po", "per_day": 4, "prn": True, "indication": "fever"}),
    ("5-ASA 800 mg TID", ["mesalazine"], {"dose": Quantity(800, "mg"), "per_day": 3}),
    ("amoxicillin 250 mg/5 mL susp 5 mL TID x 10 days", ["amoxicillin"],
     {"dose": Quantity(5, "mL"), "strengths": (Quantity(250, "mg", ("mL",)),), "per_day": 3}),
    ("metformin 500 mg 2 tabs BID", ["metformin"], {"dose": Quantity(1000, "mg"), "per_day": 2}),
    ("norepinephrine 0.05 mcg/kg/min", ["norepinephrine"],
     {"dose": Quantity(0.05, "mcg", ("kg", "min"))}),
    ("benzathine penicillin 2.4 million units IM x1", ["benzylpenicillin"],
     {"dose": Quantity(2_400_000, "units"), "route": "im", "per_day": None}),
    ("take aspirin one tablet by mouth every other day", ["aspirin"],
     {"dose": Quantity(1, "tablets"), "route": "po", "per_day": 0.5}),
    ("losartan potassium 50 mg", ["losartan"], {}),
    ("losartan / potassium chloride", ["losartan", "potassium-chloride"], {}),
    ("penicillin V potassium 500 mg QID", ["phenoxymethylpenicillin"], {"per_day": 4}),
    ("Diovan HCT 160/12.5", ["valsartan", "hydrochlorothiazide"], {}),
    ("Tylenol PM", ["paracetamol", "diphenhydramine"], {}),
    ("Humulin 70/30 20 units BID", ["insulin-nph", "insulin-regular"],
     {"dose": Quantity(20, "units")}),
    ("enoxaparin sodium (Lovenox) 40 mg sc", ["enoxaparin"], {"route": "sc"}),
    ("hydrocortisone cream bid to affected area", ["hydrocortisone"], {"route": "topical"}),
    ("timolol 0.5% 1 gtt OU BID", ["timolol"],
     {"route": "ophthalmic", "dose": Quantity(1, "drops")}),
    ("methotrexate 15 mg once a week", ["methotrexate"], {"per_day": pytest.approx(1 / 7)}),
    ("aspirin 81mg for stroke prevention", ["aspirin"], {"indication": "stroke prevention"}),
    ("PCN", ["benzylpenicillin"], {}),
]  # fmt: skip


@pytest.mark.parametrize(("line", "drugs", "said"), LINES, ids=[line for line, _, _ in LINES])
def test_a_line_is_read(line: str, drugs: list[str], said: dict[str, Any]) -> None:
    found = parse_medicine(line)
    assert list(found.drugs) == drugs
    assert found.left_over == ()
    assert {name: getattr(found, name) for name in said} == said
    named = resolve(line)
    assert named is not None
    assert list(named.ingredients) == drugs


@pytest.mark.parametrize(
    ("line", "left"),
    [
        ("moonwort 5 mg po bid", ("moonwort",)),
        ("warfarin moonwort", ("moonwort",)),
        ("5-FU", ("fu",)),
        ("no aspirin", ("no",)),
        ("hold warfarin", ("hold",)),
        ("aspirin or clopidogrel", ("or",)),
        ("glucose < 70", ("<",)),
        ("magnesium citrate", ("citrate",)),
        ("free thyroxine", ("free",)),
        ("digoxin level", ("level",)),
        ("aspirin for patients not on warfarin", ("patients", "not", "on", "warfarin")),
    ],
)
def test_what_is_not_understood_is_left_over_and_names_no_drug(
    line: str, left: tuple[str, ...]
) -> None:
    assert parse_medicine(line).left_over == left
    assert resolve(line) is None


@pytest.mark.parametrize("line", ["", "iv", "40 mg", "take one tablet by mouth daily", "prn", "-"])
def test_a_line_without_a_name_names_no_drug(line: str) -> None:
    assert parse_medicine(line).drugs == ()
    assert resolve(line) is None


@given(st.text(max_size=2 * MAX_CHARACTERS))
def test_any_text_is_read(text: str) -> None:
    found = parse_medicine(text)
    assert found.named is None or found.named.ingredients == found.drugs


WORDS = sorted({*medicine_words().beside, *medicine_words().forms, *medicine_words().units})


@given(
    st.lists(
        st.sampled_from(WORDS)
        | st.sampled_from(sorted(known_names()))
        | st.sampled_from(["5", "0/0", "1,000", "#3", "q6h", "x", "/", "-", "%", "(", "١٢", "½"]),
        max_size=12,
    ),
    st.sampled_from([" ", "", "-", "/", "\N{NO-BREAK SPACE}"]),
)
def test_any_words_of_charts_are_read(words: list[str], between: str) -> None:
    found = parse_medicine(between.join(words))
    assert {*found.drugs} <= {drug for one in known_names().values() for drug in one.ingredients}


def test_every_known_name_means_itself() -> None:
    for name, meant in known_names().items():
        assert resolve(name) == meant
        assert parse_medicine(name).drugs == meant.ingredients
        assert parse_medicine(name).left_over == ()


@pytest.mark.parametrize("tail", ["5 mg po daily", "10 UNITS SC BID", "2 tabs by mouth q6h prn"])
@pytest.mark.parametrize("case", [str.upper, str.lower])
def test_every_name_is_found_in_a_line(tail: str, case: Any) -> None:
    regimens = ("more than 8 weeks", "sliding scale alone", "three or more together")
    for name, meant in known_names().items():
        if meant.form in regimens:
            continue  # a regimen is a name as a whole
        line = case(f"{name} {tail}")
        assert parse_medicine(line).drugs == meant.ingredients, line
        assert resolve(line) is not None, line


def test_every_drug_and_synonym_of_the_tables_is_found_in_a_line() -> None:
    routes = {*medicine_words().routes}
    for drug in load().drugs.values():
        for name in (drug.id, drug.name, *drug.synonyms):
            found = parse_medicine(f"{name.upper()} 5 MG IV Q8H")
            assert found.drugs == (drug.id,), name
            assert (found.dose, found.per_day) == (Quantity(5, "mg"), 3)
            if not routes.intersection(name.casefold().replace("-", " ").split()):
                assert found.route == "iv", name


@pytest.mark.parametrize(
    ("text", "route"),
    [
        ("Intravenous", ("iv", None)),
        ("IVPB", ("iv", "infusion")),
        ("i.v. push", ("iv", "push")),
        ("IV bolus", ("iv", "bolus")),
        ("per G-tube", ("ng", None)),
        ("under the tongue", ("sl", None)),
        ("by pigeon", (None, None)),
        ("IV/IM", (None, None)),
        ("stat", (None, None)),
        ("-", (None, None)),
        ("в вену", (None, None)),
    ],
)
def test_routes(text: str, route: tuple[str | None, str | None]) -> None:
    assert parse_route(text) == route


@pytest.mark.parametrize(
    ("wrong", "near"),
    [
        ("warfrin", ("warfarin",)),
        ("metropolol 25 mg BID", ("metoprolol",)),
        ("Bactrum DS", ("bactrim",)),
        ("Bactrim DS", ()),  # it is known
        ("moonwort", ()),
        ("5-FU", ()),
        ("xyz", ()),
        ("", ()),
    ],
)
def test_a_suggestion_is_near(wrong: str, near: tuple[str, ...]) -> None:
    assert nearest_drugs(wrong) == near
