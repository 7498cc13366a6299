"""The rewards against values worked out by hand from the paper's equations."""

from __future__ import annotations

from typing import Any

import pytest

from gym_clinic.domains.dxsearch.rewards import (
    STAGES,
    acc_at,
    diagnosis,
    exploration,
    format_gate,
    matching,
    relevance,
    strict_match,
    total,
)
from gym_clinic.errors import ConfigError

SLE = "systemic lupus erythematosus"
R = "<reason> r </reason>"
LOOKUP = "<lookup> sle, dermatomyositis </lookup><guide> g </guide>"
MATCH = "<match> ptosis, fatigue </match><refer> x </refer>"
END = r"<diagnose> \textbf{SLE}, \textbf{Dermatomyositis} </diagnose>"


def search(content: str) -> str:
    return f"<search> {content} </search><result> y </result>"


@pytest.mark.parametrize(
    ("text", "gate"),
    [
        (R + END, 1),
        (END, 1),
        (R + LOOKUP + R + MATCH + R + search("|PMC| a, b") + R + END, 1),
        (R + search("|PubMed| a") + R + END, 1),
        (R + search("|PMC| a, b") + END, 0),  # no reason between two actions
        ((R + search("|PMC| a, b")) * 3 + R + END, 0),
        ((R + LOOKUP) * 2 + R + END, 0),
        ((R + MATCH) * 3 + R + END, 1),
        ((R + MATCH) * 4 + R + END, 0),
        (R + LOOKUP + R, 0),
        (R + "<diagnose> SLE </diagnose>", 0),
        (R + "<diagnose> **SLE** </diagnose>", 0),
        (R + "<diagnose>" + r"\textbf{a}" * 5 + "</diagnose>", 1),
        (R + "<diagnose>" + r"\textbf{a}" * 6 + "</diagnose>", 0),
        (R + search("|Google| a") + R + END, 0),
        (R + search("|PMC| a, |PMC| b") + R + END, 0),
        (R + search("|PMC| a,b,c,d") + R + END, 0),
        (R + "<guide> sle </guide>" + R + END, 0),
        ("<reason> r " + END, 0),
        ("<reason> <match> a </match> </reason>" + END, 0),
        (R + END + R, 0),
        (R + END + R + END, 0),
        ("so " + R + END, 0),
        ("", 0),
    ],
)
def test_gate(text: str, gate: int) -> None:
    assert format_gate(text) == gate


@pytest.mark.parametrize(
    ("share", "factor"), [(0, 1.0), (0.1, 1.0), (0.25, 1.0), (0.2500001, 0.7499999), (1, 0.0)]
)
def test_exploration(share: float, factor: float) -> None:
    assert exploration(share, 0.25) == pytest.approx(factor, abs=1e-12)


@pytest.mark.parametrize("share", [-0.1, 1.1])
def test_exploration_takes_shares_only(share: float) -> None:
    with pytest.raises(ConfigError, match="share from 0 to 1"):
        exploration(share)


@pytest.mark.parametrize(
    ("queries", "hits", "literal", "positive_only"),
    [
        (["a,b,c"], [1], 0.4, 0.4),
        (["a,b,c", "a,b,d"], [0, 1], 0.0, 0.0),
        (["a,b", "b, a"], [0, 0], 0.0, -0.2),
        (["a,b", "c,d", "e,f"], [0, 0, 0], -0.3, -0.3),
        (["a,b", "c,d", "e,f", "g,h"], [0, 0, 0, 1], 0.2, 0.2),
        (["a,b", "c,d", "c,d"], [1, 1, 1], 0.0, 0.0),
        (["A, b", "a,B"], [1, 1], 0.0, 0.0),
        ([], [], 0.0, 0.0),
    ],
)
def test_matching(queries: Any, hits: Any, literal: float, positive_only: float) -> None:
    assert matching(queries, hits, "literal") == pytest.approx(literal)
    assert matching(queries, hits, "positive_only") == pytest.approx(positive_only)


def test_matching_as_the_released_code_has_it() -> None:
    swapped = ["a,b,c", "a,b,d"]
    assert matching(swapped, [0, 1], change="symmetric") == pytest.approx(0.3)
    assert matching(["a,b"] * 2, [1, 1], change="symmetric", too_little=-0.5) == -0.5


@pytest.mark.parametrize(
    ("options", "says"),
    [({"zero_mode": "x"}, "zero_mode"), ({"change": "x"}, "change"), ({}, "one for each")],
)
def test_matching_refuses_what_it_does_not_know(options: Any, says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        matching(["a"], [] if not options else [1], **options)


@pytest.mark.parametrize(
    ("terms", "score"),
    [
        (["lupus nephritis"], (1 / 3) ** (1 / 3)),
        (["asthma"], 0.0),
        (["asthma", "discoid lupus", SLE], 1.0),
        ([], 0.0),
    ],
)
def test_relevance(terms: list[str], score: float) -> None:
    assert relevance(terms, SLE) == pytest.approx(score)
    assert relevance(terms, ["asbestosis", SLE]) == pytest.approx(score)


@pytest.mark.parametrize(
    ("candidates", "sigma_m", "score"),
    [
        ([SLE], -0.3, 0.5),
        ([SLE], 0.4, 1.2),
        (["lupus"], 0.0, 0.5),
        (["lupus"], 0.4, 0.9),
        (["asthma"], -0.3, -0.1),
        (["asthma"], 0.0, 0.2),
        (["asthma", "systemic lupus"], 0.0, 0.68),
        ([], 0.0, 0.2),
    ],
)
def test_diagnosis(candidates: list[str], sigma_m: float, score: float) -> None:
    assert diagnosis(candidates, SLE, sigma_m) == pytest.approx(score)


@pytest.mark.parametrize(
    ("parts", "stage", "value"),
    [
        ((1, 1, 0.4, 1, 1.2), 1, 0.98),
        ((1, 1, 0.4, 1, 1.2), 2, 0.47),
        ((1, 1, 0.4, 1, 1.2), 3, 1.0),
        ((1, 1, 0.4, 1, 1.2), 4, 0.9),
        ((1, 0.4, 0.4, 1, 1.2), 3, 0.46),
        ((1, 0.4, -0.3, 1, 0.5), 4, 0.164),
        ((1, 1, -0.3, 0, 0.5), 2, 0.0),
        ((1, 1, 0, 1, 0.8), 3, 0.77),
        ((1, 1, 0, 0, 0.2), 4, 0.08),
        ((0, 1, 0.4, 1, 1.2), 4, 0.0),
    ],
)
def test_total(parts: Any, stage: int, value: float) -> None:
    assert total(*parts, stage) == pytest.approx(value)
    assert total(*parts, STAGES[stage]) == pytest.approx(value)


@pytest.mark.parametrize("stage", [0, 5, True])
def test_total_knows_four_stages(stage: int) -> None:
    with pytest.raises(ConfigError, match="stage is one of"):
        total(1, 1, 0, 0, 0, stage)


@pytest.mark.parametrize(
    ("candidate", "gold", "match"),
    [
        ("acute systemic lupus erythematosus", SLE, True),
        ("lupus erythematosus", SLE, False),
        ("Diabetes mellitus, Type II", "diabetes mellitus", True),
        ("Fatty liver disease", "hepatic steatosis", False),
        ("gout-acute", "gout", True),
        ("gouty arthritis", "gout", False),
        ("asthmatic", "asthma", False),
        ("", "asthma", False),
        ("asthma", "", False),
        ("stage 4 melanoma", "melanoma", True),
        ("4 melanoma", "melanoma", False),
        ("bilateral recurrent melanoma", "melanoma", True),
        ("no melanoma", "melanoma", False),
    ],
)
def test_strict_match(candidate: str, gold: str, match: bool) -> None:
    assert strict_match(candidate, gold) is match


def test_acc_at_looks_at_the_first_diagnoses() -> None:
    text = R + r"<diagnose> \textbf{asthma}, \textbf{acute gout}, \textbf{gout nodosa} </diagnose>"
    assert [acc_at(text, "gout", n) for n in (1, 2, 5)] == [0.0, 1.0, 1.0]
    assert acc_at(text + text, "gout", 5) == 0.0


def test_reference_values(golden: Any) -> None:
    for case in golden["003_format"]:
        assert format_gate(case["text"]) == case["sigma_f"], case["id"]
    for case in golden["003_sigma_m"]:
        for mode in ("literal", "positive_only"):
            found = matching(case["queries"], case["hits"], mode)
            assert found == pytest.approx(case[mode]), case["id"]
    for case in golden["003_total"]:
        parts = [case[name] for name in ("sf", "sdiv", "sm", "ss", "sd")]
        assert total(*parts, case["stage"]) == pytest.approx(case["total"])
    for case in golden["003_strict_match"]:
        assert strict_match(case["cand"], case["gold"]) is case["match"]
    for case in golden["003_sigma_d"]:
        assert diagnosis(case["cands"], case["gold"], case["sigma_m"]) == pytest.approx(case["d"])
    for case in golden["003_sigma_s"]:
        assert relevance(case["terms"], case["gold"]) == pytest.approx(case["s"])
    for case in golden["003_sigma_div"]:
        assert exploration(case["r"], case["tau"]) == pytest.approx(case["s"])
    for case in golden["003_acc_at"]:
        assert acc_at(case["text"], case["gold"], case["n"]) == case["acc"]
    for stage, weight in golden["003_stage_weights_effective_on_sigma_m"].items():
        weights = STAGES[int(stage)]
        assert weights["matching"] + weights["diagnosis"] == pytest.approx(weight)
