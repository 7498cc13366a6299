"""Rewritten editions: what is accepted and refused, how a run goes on, what an episode reads."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import gymnasium as gym
import pytest
from chat_server import ChatServer

from gym_clinic.consult import ChatClient
from gym_clinic.domains.clingen.literature.records import Literature
from gym_clinic.domains.clingen.rewriting.edition import Edition, EditionFile
from gym_clinic.domains.clingen.rewriting.readback import FactReader
from gym_clinic.domains.clingen.rewriting.run import RewriteReport, rewrite
from gym_clinic.errors import ConfigError, ServiceError
from gym_clinic.paths import tasks_dir

SOURCE = (
    "In F1-II-2 (woman, NUS1), mean basal respiration was 38% lower in patient cells "
    "(12.5 ± 1.2 pmol/min, n = 12) than in donor cells (20.1 ± 2.0 pmol/min; p < 0.001) and "
    "did not differ in 2019 (Table 1)."
)
FAITHFUL = (
    "For F1-II-2 (woman, NUS1), we found basal respiration to be 38% lower in patient cells "
    "(12.5 ± 1.2 pmol/min, n = 12) than in donor cells (20.1 ± 2.0 pmol/min; p < 0.001), and it "
    "was not different in 2019 (Table 1)."
)


@pytest.fixture(scope="module")
def reader() -> FactReader:
    literature = Literature(
        "NUS1", "HGNC:1", "NUS1 disease", "MONDO:1", "AD", "loss of function", "Nogo-B receptor",
        "a subunit of an enzyme", None, None, (), ("brain",), ("ataxia", "seizures"), (), (), (),
        (), (),
    )  # fmt: skip
    return FactReader(literature)


def test_a_faithful_rewriting_is_accepted(reader: FactReader) -> None:
    old = "The woman had ataxia, and seizures were not seen; she may carry another variant."
    new = "Ataxia was present in the woman, and seizures did not occur; she might have another one."
    assert reader.difference(SOURCE, SOURCE) is None
    plain = SOURCE.replace(" and did not", ", and did not")
    assert reader.difference(plain, FAITHFUL) is None
    assert reader.difference(old, new) is None


@pytest.mark.parametrize(
    ("kind", "old", "new"),
    [
        ("number", "38%", "83%"),
        ("number", "12.5 ± 1.2", "20.1 ± 1.2"),
        ("number", "12.5 ± 1.2", "12.5, 1.2"),
        ("number", "p < 0.001", "p > 0.001"),
        ("number", "38%", "38"),
        ("number", "n = 12", "n = 12 of 14"),
        ("number", "2019", "2020"),
        ("negation", "did not differ", "differed"),
        ("negation", "was 38%", "was not 38%"),
        ("name", "NUS1", "NEK8"),
        ("name", "donor cells", "donor cells with ataxia"),
        ("id", "F1-II-2", "F1-II-1"),
        ("reference", "(Table 1)", ""),
        ("reference", "Table 1", "Table 2"),
        ("symbol", "mean basal", "mean NEK8 basal"),
        ("symbol", "In F1-II-2", "In Boston, F1-II-2"),
        ("symbol", "In F1-II-2", "Smith saw that in F1-II-2"),
        ("direction", "lower", "higher"),
        ("sex", "woman", "man"),
        ("markup", "Table 1", "<b>Table 1</b>"),
        ("sentences", "in 2019 (Table 1).", "in 2019 (Table 1). This matters."),
        ("sentences", "(Table 1).", "(Table 1)"),
        ("length", "2019", "2019 and this is a thing that one would like to know more of" * 4),
    ],
)
def test_each_falsification_is_refused(reader: FactReader, kind: str, old: str, new: str) -> None:
    assert old in SOURCE
    refused = reader.difference(SOURCE, SOURCE.replace(old, new, 1))
    assert refused is not None
    assert refused.kind == kind


@pytest.mark.parametrize(
    ("kind", "old", "new"),
    [
        ("order", "Ataxia was not seen.", "No ataxia was seen."),
        ("order", "We saw ataxia, but not seizures.", "We saw no ataxia, but seizures."),
        ("negation", "We did not ask, but we looked.", "We asked, but we did not look."),
        ("name", "Ataxia came before seizures.", "Seizures came before ataxia."),
        ("certainty", "The data may explain it.", "The data explain it."),
        ("certainty", "The data suggest a cause.", "The data establish a cause."),
        ("parent", "The mother carried it.", "The father carried it."),
        ("quantity", "All of them had it.", "Some of them had it."),
        ("number", "It fell (p<0.001).", "It fell (p>0.001)."),
        ("length", "Samples were kept.", "."),
        ("number", "We saw seven persons.", "We saw eight persons."),
        ("name", "The variant arose de novo.", "The variant was inherited."),
    ],
)
def test_the_meaning_of_a_sentence_is_kept(
    reader: FactReader, kind: str, old: str, new: str
) -> None:
    refused = reader.difference(old, new)
    assert refused is not None
    assert refused.kind == kind
    assert reader.difference(old, old) is None


# Runs against a server.


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "tasks"
    made.mkdir()
    with (tasks_dir("clingen") / "dev.jsonl").open(encoding="utf-8") as lines:
        (made / "dev.jsonl").write_text(next(lines), encoding="utf-8")
    return made


def given(request: dict[str, Any]) -> list[str]:
    listed: list[str] = json.loads(request["messages"][1]["content"].rpartition("\n\n")[2])
    return listed


def faithful(request: dict[str, Any]) -> str:
    sentences = [
        f"Here, we {one.removeprefix('We ')}" if one.startswith("We ") else one
        for one in given(request)
    ]
    return json.dumps({"sentences": sentences})


def run(server: ChatServer, out: Path, folder: Path, **options: Any) -> RewriteReport:
    client = ChatClient(server.url, options.pop("model", "editor"), backoff=0.0, retries=1)
    try:
        return rewrite(client, out, split="dev", folder=str(folder), **options)
    finally:
        client.close()


def test_an_interrupted_run_goes_on(chat_server: ChatServer, tmp_path: Path, folder: Path) -> None:
    out = tmp_path / "edition.jsonl"
    good = chat_server.answer_with(faithful)
    chat_server.script = [*[good] * 5, chat_server.status(400)]
    with pytest.raises(ServiceError):
        run(chat_server, out, folder, concurrency=1)
    kept = len(Edition(out).texts)
    assert 1 <= kept <= 5
    with out.open("ab") as file:
        file.write(b'{"key": "half a li')
    chat_server.script = [good]
    first = run(chat_server, out, folder)
    assert (first.kept, first.refused.total()) == (kept, 0)
    whole = out.read_bytes()
    assert len(whole.splitlines()) == 1 + kept + first.paragraphs
    again = run(chat_server, out, folder)
    assert (again.paragraphs, again.kept) == (0, kept + first.paragraphs)
    assert out.read_bytes() == whole


def test_a_falsifying_model_changes_nothing(
    chat_server: ChatServer, tmp_path: Path, folder: Path
) -> None:
    out = tmp_path / "edition.jsonl"

    def falsify(request: dict[str, Any]) -> str:
        sentences = given({"messages": request["messages"][:2]})
        return json.dumps({"sentences": [f"{one[:-1]} in NEK99{one[-1]}" for one in sentences]})

    chat_server.script = [chat_server.answer_with(falsify)]
    report = run(chat_server, out, folder)
    assert report.accepted == 0
    assert set(report.refused) == {"symbol"}
    # The model was told once what was wrong.
    assert len(chat_server.requests) == 2 * report.paragraphs
    assert "NEK99" in chat_server.requests[-1]["messages"][-1]["content"]
    assert set(Edition(out).texts.values()) == {None}


@pytest.mark.parametrize(
    "wrong", ["no JSON", '{"sentences": ["One sentence too few or too many.", "Two.", "3."]}']
)
def test_a_reply_that_cannot_be_read_is_refused(
    chat_server: ChatServer, tmp_path: Path, folder: Path, wrong: str
) -> None:
    chat_server.script = [chat_server.answer(wrong)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            "gym_clinic.domains.clingen.rewriting.run._prose",
            lambda task: ["We saw ataxia. It was not severe."],
        )
        report = run(chat_server, tmp_path / "edition.jsonl", folder)
    assert (report.accepted, report.refused.total()) == (0, 2)
    assert set(report.refused) <= {"reply", "sentences"}


def test_a_refused_sentence_stays_among_accepted_ones(
    chat_server: ChatServer, tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "edition.jsonl"
    paragraph = "Figure 1. We saw 12 cells. NEK8 did not move. They were small."
    monkeypatch.setattr("gym_clinic.domains.clingen.rewriting.run._prose", lambda task: [paragraph])
    replies = [
        ["Here we saw 12 cells.", "NEK8 moved.", "They were not small."],
        ["There were 21 cells.", "No NEK8 moved.", "Small they were."],
    ]
    chat_server.script = [chat_server.answer(json.dumps({"sentences": one})) for one in replies]
    report = run(chat_server, out, folder)
    assert (report.accepted, dict(report.refused)) == (2, {"order": 1})
    expected = "Figure 1. Here we saw 12 cells. NEK8 did not move. Small they were."
    assert Edition(out).text(paragraph) == expected


@pytest.mark.parametrize("masked", [False, True])
def test_an_episode_reads_the_edition(
    chat_server: ChatServer, tmp_path: Path, folder: Path, masked: bool
) -> None:
    out = tmp_path / "edition.jsonl"
    chat_server.script = [chat_server.answer_with(faithful)]
    run(chat_server, out, folder)
    asked = len(chat_server.requests)
    told = []
    extra: list[dict[str, Any]] = [{}, {"edition": str(out)}]
    for more in extra:
        env = gym.make(
            "clinic/ClinGenSingle-v0", folder=str(folder), split="dev", masked_names=masked, **more
        )
        clinic: Any = env.unwrapped
        observation, _ = env.reset(seed=1)
        task = clinic.tasks[0]
        case = clinic.domain.open_case(task)
        pmids = [article["pmid"] for article in task.record["articles"]]
        texts = [str(observation), *(case.full_text(pmid) for pmid in pmids)]
        told.append(("\n".join(texts), task.gold, clinic.domain))
        env.close()
    (before, gold, plain), (after, same_gold, written) = told
    assert "Here, we " in after
    assert "Here, we " not in before
    assert after.replace("Here, we ", "We ") == before
    assert gold == same_gold
    assert (plain.edition(), written.edition()) == ("", Edition(out).fingerprint)
    assert written.edition().startswith("edition by editor ")
    assert plain.scoring() != written.scoring()
    assert len(chat_server.requests) == asked


def test_a_missing_or_foreign_file_is_named(tmp_path: Path, folder: Path) -> None:
    def play(path: object) -> None:
        gym.make("clinic/ClinGen-v0", folder=str(folder), split="dev", edition=path)

    with pytest.raises(ConfigError, match=r"cannot read .*nothing"):
        play(str(tmp_path / "nothing.jsonl"))
    with pytest.raises(ConfigError, match="edition is the path"):
        play(3)
    for number, text in enumerate(["", "no JSON\n", '{"id": "a task"}\n']):
        foreign = tmp_path / f"{number}.jsonl"
        foreign.write_text(text, encoding="utf-8")
        with pytest.raises(ConfigError, match=r"is empty|line 1: no edition"):
            play(str(foreign))
    other = tmp_path / "other.jsonl"
    with EditionFile(other, "editor", "prompt") as file:
        file.add("A paragraph of other tasks.", "Another paragraph.")
        with pytest.raises(ConfigError, match="another process"):
            EditionFile(other, "editor", "prompt")
    with pytest.raises(ConfigError, match="holds no paragraph of the split 'dev'"):
        play(str(other))
    for model, prompt, what in (("other", "prompt", "model"), ("editor", "other", "prompt")):
        with pytest.raises(ConfigError, match=f"an edition of another {what}"):
            EditionFile(other, model, prompt)
