"""The graph critic: what its value may be, and what it reads."""

from __future__ import annotations

import importlib
from typing import Any

import pytest

from gym_clinic import ConfigError

torch = pytest.importorskip("torch")
critic = importlib.import_module("gym_clinic.domains.kacr.critic")

HASHED = "hashed-ngrams:32"


def state(order: list[int] | None = None, turns_left: int = 3, **more: Any) -> dict[str, Any]:
    """Return a graph of four nodes, which may be numbered in another order."""
    features = [[0.1, 0.9], [0.4, -0.3], [-0.8, 0.2], [0.5, 0.5]]
    edges = {"rel": [(0, 1), (0, 2), (3, 1)], "belongs": [(1, 3)]}
    at = order or [0, 1, 2, 3]
    return {
        "nodes": [features[node] for node in at],
        "edges": {
            name: [(at.index(i), at.index(j)) for i, j in pairs] for name, pairs in edges.items()
        },
        "turns_left": turns_left,
        **more,
    }


def model(**options: Any) -> Any:
    torch.manual_seed(0)
    given = {"features": 2, "relations": ["rel", "belongs"], "text": None, **options}
    return critic.GraphValue(**given)


@pytest.mark.parametrize("activation", ["sigmoid", "relu"])
def test_a_value_does_not_depend_on_how_the_nodes_are_numbered(activation: str) -> None:
    made = model(activation=activation)
    values = made([state(), state([2, 0, 3, 1])])
    assert values[0].item() == pytest.approx(values[1].item(), abs=1e-6)


def test_a_batch_gives_the_values_of_single_states() -> None:
    made = model(text=HASHED)
    empty = {"nodes": [], "edges": {}, "turns_left": 2}
    states = [state(question="a cough"), empty, state([1, 0, 2, 3], 2), state(question="a rash")]
    alone = [made([single]).item() for single in states]
    assert made(states).tolist() == pytest.approx(alone, abs=1e-6)


def test_a_value_is_a_share_of_what_the_turns_left_can_pay() -> None:
    made = model(gamma=0.9)
    one, three = made([state(turns_left=1), state(turns_left=3)]).tolist()
    assert 0.0 < one < 1.0
    assert three == pytest.approx(one * (1 + 0.9 + 0.81), abs=1e-6)
    assert made([state(turns_left=0)]).tolist() == [0.0]
    last = made([state(pays=[2])]).item()
    assert last == pytest.approx(one * 0.81, abs=1e-6)


def test_edges_and_each_part_of_the_text_change_a_value() -> None:
    made = model(text=HASHED)
    plain = state(question="a dry cough")
    others = [
        {**plain, "edges": {"rel": [], "belongs": []}},
        {**plain, "question": "a swollen knee"},
        {**plain, "answer": "B"},
        {**plain, "answer": "B", "rationale": "crackles"},
    ]
    values = made([plain, *others]).tolist()
    assert len({round(value, 6) for value in values}) == 5


def test_without_the_graph_the_text_alone_is_read() -> None:
    made = model(text=HASHED, graph=False)
    first, second = made([state(question="a rash"), state(question="a cough")]).tolist()
    other = made([{"nodes": [], "edges": {}, "turns_left": 3, "question": "a rash"}]).item()
    assert first == pytest.approx(other, abs=1e-6) != second


def test_a_fit_learns_what_only_the_edges_tell() -> None:
    made = model(activation="relu", hidden=8)
    nodes = [[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]]
    pairs = [[(0, 1)], [(0, 2)]]
    states = [{"nodes": nodes, "edges": {"rel": pair}, "turns_left": 1} for pair in pairs]
    optimizer = torch.optim.Adam(made.parameters(), lr=0.05)
    for _ in range(60):
        optimizer.zero_grad()
        (made(states) - torch.tensor([0.0, 1.0])).square().mean().backward()
        optimizer.step()
    low, high = made(states).tolist()
    assert (low < 0.1, high > 0.9) == (True, True)


@pytest.mark.parametrize(
    ("broken", "says"),
    [
        ({"nodes": [[1.0]]}, r"nodes of \[1\] features; the critic was made with features=2"),
        ({"edges": {"near": []}}, r"relation 'near', the critic knows \['rel', 'belongs'\]"),
        ({"edges": {"rel": [(0, 4)]}}, "rel has a pair beyond the 4 nodes"),
        ({"pays": [0, 3]}, "pays names turn 3; turns_left=3"),
    ],
)
def test_a_state_that_does_not_fit_is_refused(broken: Any, says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        model()([{**state(), **broken}])


def test_mistakes_of_the_caller_are_named() -> None:
    with pytest.raises(ConfigError, match=r"info\['graph'\]; the environment has \['tools'\]"):
        critic.GraphValue.read({"tools": []})
    with pytest.raises(ConfigError, match="activation is one of"):
        model(activation="tanh")
    with pytest.raises(ConfigError, match="without graph needs text"):
        model(graph=False)
    with pytest.raises(ConfigError, match=r"no 'nodes'; it has \['edges'\]"):
        model()([{"edges": {}}])
