"""The simulator of articles: the same draft, the same text, and no more than the draft says."""

from __future__ import annotations

import dataclasses
import doctest
import itertools
import json
import os
import re
import subprocess
import sys
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gym_clinic.domains.clingen.simulator import (
    articles,
    drafts,
    scenes,
    systems,
    tellings,
    wording,
)
from gym_clinic.domains.clingen.simulator.articles import (
    ABSTRACT_WORDS,
    FULL_WORDS,
    count_words,
    write,
    write_front,
)
from gym_clinic.domains.clingen.simulator.drafts import (
    CATEGORY_OF,
    MODES,
    STATUSES,
    Draft,
    PlannedFinding,
    PlannedGenetics,
)
from gym_clinic.domains.clingen.simulator.tellings import Teller
from gym_clinic.errors import TaskError
from gym_clinic.simulate import read_pools

SYSTEMS = systems.read_systems()

GENE, DISEASE = "XYLB9", "x-linked sample disease 7, type B"
OTHERS = ("OTHG1", "PARTA", "PARTB")

FINDING = PlannedFinding("physical_association", "shown", "explicit", 0, "", ("PARTA", "PARTB"))
DRAFT = Draft(GENE, DISEASE, 2019, "neuro", "a", (FINDING,), PlannedGenetics(2, 3, 1, 2008))


@st.composite
def findings(draw: st.DrawFn) -> tuple[PlannedFinding, ...]:
    """One to five findings of different subtypes, no more than the abstract can hold."""
    subtypes = draw(
        st.lists(st.sampled_from(list(CATEGORY_OF)), min_size=1, max_size=5, unique=True)
    )
    out = []
    for scene, subtype in enumerate(subtypes):
        status = draw(st.sampled_from(STATUSES))
        mode = draw(st.sampled_from(MODES if scene < 3 else ("silent",)))
        about = OTHERS[0] if status == "other" else ""
        out.append(PlannedFinding(subtype, status, mode, scene, about, OTHERS[1:]))
    return tuple(out)


genetics = st.none() | st.builds(
    PlannedGenetics,
    st.integers(1, 6),
    st.integers(0, 14),
    st.integers(0, 9),
    st.integers(1995, 2012),
)
any_draft = st.builds(
    Draft,
    gene=st.just(GENE),
    disease=st.just(DISEASE),
    year=st.integers(2012, 2024),
    system=st.sampled_from(sorted(SYSTEMS)),
    seed=st.text("abcdef0123456789", min_size=4, max_size=12),
    findings=findings(),
    genetics=genetics,
    short=st.booleans(),
    wide=st.booleans(),
)


@given(any_draft)
def test_a_draft_gives_one_article_of_the_promised_form(draft: Draft) -> None:
    written = write(draft)
    assert write(json.loads(json.dumps(draft.to_json()))) == written
    assert ABSTRACT_WORDS[0] <= count_words(written.abstract) <= ABSTRACT_WORDS[1]
    low, high = FULL_WORDS[draft.short]
    assert low <= count_words(written.full_text) <= high
    assert 5 <= len(written.sections) <= 8
    assert set(written.summaries) == {f.subtype for f in draft.findings if f.status == "shown"}
    whole = " ".join([written.title, written.abstract, written.full_text])
    assert not re.search(r"[\[\]{}|]| {2}| [,.;]|\.\.", whole)
    assert not re.search(r"\b[Aa] [aeiou](?!n[ei]|s)", whole)
    assert "X-linked sample disease" not in whole  # the label is always as on record
    assert GENE in written.title
    assert DISEASE in written.title
    assert DISEASE in written.full_text


@given(any_draft, genetics)
def test_title_and_abstract_do_not_depend_on_the_human_genetics(
    draft: Draft, other: PlannedGenetics | None
) -> None:
    changed = dataclasses.replace(draft, genetics=other)
    one, two = write_front(draft), write_front(changed)
    assert (one.title, one.abstract) == (two.title, two.abstract)
    assert one.sections == ()


@given(any_draft)
def test_summaries_hold_the_facts_within_their_length(draft: Draft) -> None:
    human = draft.genetics
    for summary in write_front(draft).summaries.values():
        assert len(summary) <= 700
        assert GENE in summary
        numbers = {float(n) for n in re.findall(r"\d+(?:\.\d+)?", summary)}
        if human is None:
            assert re.search(r"\b0\b|none", summary)
        else:
            assert {human.points, human.publications, human.first} <= numbers
            for count, kind in ((human.null, "null variants"), (human.other, "other variants")):
                told = re.findall(rf"(\d+) probands? with {kind}", summary)
                assert told == ([str(count)] if count else [])


@given(any_draft)
def test_the_full_text_tells_the_counts_of_probands(draft: Draft) -> None:
    text = dict(write(draft).sections)
    patients = next(body for heading, body in text.items() if "variants" in heading)
    if draft.genetics is None:
        assert "unrelated proband" not in patients
        return
    words = {word: number for number, word in enumerate(articles.NUMBERS)}
    told = [
        int(number) if number.isdigit() else words[number.lower()]
        for number in re.findall(r"(\w+) unrelated probands?", patients)
    ]
    wanted = [n for n in (draft.genetics.null, draft.genetics.other) if n]
    assert told == wanted
    assert str(draft.genetics.first) in patients or draft.genetics.earlier == 0


@pytest.mark.parametrize("status", STATUSES)
@pytest.mark.parametrize("subtype", CATEGORY_OF)
def test_every_statement_names_the_gene_it_is_about(subtype: str, status: str) -> None:
    about = OTHERS[0] if status == "other" else ""
    finding = PlannedFinding(subtype, status, "explicit", 0, about, OTHERS[1:])
    for seed in range(12):
        draft = dataclasses.replace(DRAFT, seed=str(seed), findings=(finding,))
        teller = Teller(draft)
        full = " ".join(text for _, text in teller.in_full(0))
        brief = teller.in_abstract(0)
        if status == "other":
            assert OTHERS[0] in brief
            assert GENE not in brief
        elif status not in ("planned", "technique"):
            assert GENE in brief
        if status not in ("planned", "technique"):
            meant = OTHERS[0] if status == "other" else GENE
            told = meant if status == "reported" else teller.codes.get(meant, meant)
            assert told.casefold() in full.casefold()
        if status == "elsewhere":
            unrelated = {name for system in SYSTEMS.values() for name in system["unrelated"]}
            assert any(name in full for name in unrelated) or "Nothing of this" in full


def test_a_hint_does_not_depend_on_the_outcome_of_a_finding() -> None:
    hints = {
        Teller(dataclasses.replace(DRAFT, findings=(finding,))).in_abstract(0)
        for finding in (
            dataclasses.replace(FINDING, mode="hint", status=status)
            for status in ("shown", "negative", "reported", "planned", "technique")
        )
    }
    assert len(hints) == 1


def test_a_rescue_without_its_defect_says_where_the_defect_is_known_from() -> None:
    rescue = PlannedFinding("rescue_in_patient_cells", "shown", "silent", 0, "", OTHERS[1:])
    defect = dataclasses.replace(rescue, subtype="functional_alteration_patient_cells")
    alone = Teller(dataclasses.replace(DRAFT, findings=(rescue,)))
    paired = Teller(dataclasses.replace(DRAFT, findings=(defect, rescue)))
    assert alone.takes_defect_as_given(rescue)
    assert not paired.takes_defect_as_given(rescue)
    assert re.search(r"published|others|before", alone.in_full(0)[0][1])


def test_numbers_lie_apart_for_a_positive_result_and_together_for_a_negative_one() -> None:
    measured = [name for name in CATEGORY_OF if f"measured.{name}" in wording.grammar()]
    assert len(measured) == 15
    for seed, subtype in itertools.product(range(40), measured):
        finding = dataclasses.replace(FINDING, subtype=subtype)
        draft = dataclasses.replace(DRAFT, seed=str(seed))

        def numbers(
            status: str, draft: Draft = draft, finding: PlannedFinding = finding
        ) -> list[int]:
            facts = scenes.scene_facts(draft, dataclasses.replace(finding, status=status))
            names = ("hi", "hit", "base", "left", "most", "low", "after", "rin", "rout", "both")
            return [int(str(facts[name])) for name in (*names, "exp", "lo")]

        hi, hit, base, left, most, low, after, rin, rout, both, exp, lo = numbers("shown")
        assert hi < 75
        assert hit >= base + 6
        assert left + 6 <= most
        assert low + 15 <= after
        assert rin >= 5 * rout
        expected_more = subtype != "positive_genetic_interaction"
        assert both * 2 < exp if expected_more else both > exp + 20
        hi, hit, base, left, most, low, after, rin, rout, both, exp, lo = numbers("negative")
        assert lo <= 100 <= hi
        assert abs(hit - base) <= 1
        assert abs(most - left) <= 1
        assert abs(after - low) <= 2
        assert abs(rin - rout) <= 1
        assert abs(both - exp) <= 1


def test_a_retracted_result_is_retracted_in_the_discussion() -> None:
    for seed in range(30):
        finding = dataclasses.replace(FINDING, status="withdrawn")
        teller = Teller(dataclasses.replace(DRAFT, seed=str(seed), findings=(finding,)))
        (place, _), (again, words) = teller.in_full(0)
        assert (place, again) == ("molecular", "discussion")
        assert re.search(r"withdrawn|take it back|no longer|falls with|not stand|disregard", words)
        assert not write(teller.draft).summaries


def test_codes_are_explained_in_the_methods() -> None:
    drafts_with_codes = 0
    for seed in range(60):
        draft = dataclasses.replace(DRAFT, seed=str(seed))
        teller = Teller(draft)
        sections = dict(write(draft).sections)
        methods = next(text for heading, text in sections.items() if "ethods" in heading)
        if teller.codes:
            drafts_with_codes += 1
            assert teller.code_key() in methods
            assert teller.codes[GENE].casefold() in teller.in_full(0)[0][1].casefold()
            assert not set(teller.codes.values()) & set(write_front(draft).abstract.split())
    assert 8 <= drafts_with_codes <= 40


def test_findings_of_one_scene_share_their_facts() -> None:
    rescue = dataclasses.replace(FINDING, subtype="rescue_in_patient_cells", scene=3)
    defect = dataclasses.replace(FINDING, subtype="functional_alteration_patient_cells", scene=3)
    assert scenes.scene_facts(DRAFT, rescue) == scenes.scene_facts(DRAFT, defect)


def test_another_process_writes_the_same_bytes() -> None:
    code = (
        "import json,sys,hashlib;from gym_clinic.domains.clingen.simulator.articles import write;"
        "a=write(json.load(sys.stdin));"
        "print(hashlib.sha256(repr(a).encode()).hexdigest())"
    )
    digests = {
        subprocess.run(
            [sys.executable, "-c", code],
            input=json.dumps(DRAFT.to_json()),
            env=os.environ | {"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(digests) == 1


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("system", "spleen", "unknown system 'spleen'"),
        ("findings", [["magic", "shown", "silent", 0, "", "A", "B"]], "unknown subtype 'magic'"),
        ("findings", [["gene_expression_a", "seen", "silent", 0, "", "A", "B"]], "status 'seen'"),
        ("findings", [["gene_expression_a", "shown", "loud", 0, "", "A", "B"]], "mode 'loud'"),
        ("findings", [["gene_expression_a"]], "wrong form"),
        ("findings", 3, "wrong form"),
        ("genetics", [1, 2], "wrong form"),
        ("year", "then", "wrong form"),
    ],
)
def test_a_broken_draft_is_named(field: str, value: object, message: str) -> None:
    with pytest.raises(TaskError, match=re.escape(message)):
        write({**DRAFT.to_json(), field: value})


def test_a_draft_without_a_field_is_named() -> None:
    data = DRAFT.to_json()
    del data["findings"]
    with pytest.raises(TaskError, match="lacks the field 'findings'"):
        write(data)


SCENE = set(scenes.scene_facts(DRAFT, FINDING))
BACKGROUND = set(articles._Author(DRAFT).background)
FACTS = {
    "background": BACKGROUND | {"plain"},
    "codes": {"code", "code_b", "real", "real_b"},
    "findings": SCENE,
    "frames": SCENE | {"clause"},
    "genetics": BACKGROUND
    | {"nulls", "others", "earlier", "first", "counts", "points", "pubs"},
    "loose": SCENE & BACKGROUND,
    "measured": SCENE,
    "methods": set(),
    "negatives": SCENE,
    "passages": SCENE,
    "status": SCENE,
}  # fmt: skip
"""Phrase file -> facts of all who draw from it."""


def test_every_declared_slot_has_its_fact() -> None:
    files = {path.stem: read_pools(path) for path in wording.FOLDER.glob("*.txt")}
    assert set(files) == set(FACTS)
    for name, file in files.items():
        assert set(file.slots) <= FACTS[name], name


def test_the_inventory_is_large() -> None:
    pools = wording.grammar()
    assert all(len(pools[f"clause.{subtype}"]) >= 12 for subtype in CATEGORY_OF)
    assert sum(len(set(phrases)) for phrases in pools.values()) > 700
    fields = {entry for system in SYSTEMS.values() for entry in system["unrelated"]}
    fields |= {
        entry for system in SYSTEMS.values() for aspect in system["aspects"]
        for entry in aspect.values()
    }  # fmt: skip
    assert len(fields) > 700


def test_every_system_has_every_field() -> None:
    fields = list(SYSTEMS["neuro"]["aspects"][0])
    for name, system in SYSTEMS.items():
        assert set(system) == {"words", "unrelated", "aspects"}, name
        assert [list(aspect) for aspect in system["aspects"]] == [fields] * 5, name
        assert all(all(aspect.values()) for aspect in system["aspects"]), name
        assert len(set(system["unrelated"])) == 3, name
        assert bool(system["words"]) == (name != systems.DEFAULT)


def test_no_word_belongs_to_two_systems() -> None:
    words = [(word, name) for name, system in SYSTEMS.items() for word in system["words"]]
    for (word, name), (other, other_name) in itertools.permutations(words, 2):
        assert name == other_name or not other.startswith(word), (name, other_name, word)


def test_a_disease_finds_its_system() -> None:
    assert systems.system_of("hearing loss, autosomal recessive 119") == "ear"
    assert systems.system_of("neurodevelopmental disorder with deafness") == "neuro"
    assert systems.system_of("Kabuki syndrome 1", "Syndromic Disorders Panel") == "growth"


@pytest.mark.parametrize("module", [articles, drafts, scenes, systems, tellings])
def test_examples_in_docstrings(module: ModuleType) -> None:
    assert doctest.testmod(module).failed == 0
