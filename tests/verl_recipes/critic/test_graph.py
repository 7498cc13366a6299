"""The graph critic: the reference values, and what its value may be."""

from __future__ import annotations

import importlib
from typing import Any

import pytest

from gym_clinic import ConfigError

torch = pytest.importorskip("torch")
graphs = importlib.import_module("verl_recipes.critic.graph")


def double(values: Any) -> Any:
    return torch.tensor(values, dtype=torch.float64)


def test_golden_convolutions(golden: Any) -> None:
    case = golden["001_rgcn"]
    nodes = double(case["h0"])
    for weights, own in zip(case["W"], case["W0"], strict=True):
        by_relation = {name: double(weight) for name, weight in weights.items()}
        nodes = graphs.convolve(nodes, case["edges"], by_relation, double(own))
    torch.testing.assert_close(nodes, double(case["hL"]), atol=1e-9, rtol=0)
    torch.testing.assert_close(nodes.mean(0), double(case["hG"]), atol=1e-9, rtol=0)


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
    return graphs.GraphValue(features=2, relations=["rel", "belongs"], **options)


@pytest.mark.parametrize("activation", ["sigmoid", "relu"])
def test_a_value_does_not_depend_on_how_the_nodes_are_numbered(activation: str) -> None:
    made = model(activation=activation)
    found = made([state(), state([2, 0, 3, 1])])
    assert found[0].item() == pytest.approx(found[1].item(), abs=1e-6)


def test_a_value_is_a_share_of_what_the_turns_left_can_pay() -> None:
    made = model(gamma=0.9)
    one, three = made([state(turns_left=1), state(turns_left=3)]).tolist()
    assert 0.0 < one < 1.0
    assert three == pytest.approx(one * (1 + 0.9 + 0.81), abs=1e-6)
    assert made([state(turns_left=0)]).tolist() == [0.0]


def test_edges_and_text_change_a_value() -> None:
    made = model(text=1)
    plain = state(text=[0.5])
    alone = {**plain, "edges": {"rel": [], "belongs": []}}
    other = {**plain, "text": [-2.0]}
    values = made([plain, alone, other]).tolist()
    assert len({round(value, 6) for value in values}) == 3


def test_an_environment_without_a_graph_is_refused() -> None:
    with pytest.raises(
        ConfigError, match=r"needs info\['graph'\]; the environment has \['tools'\]"
    ):
        graphs.GraphValue.read({"tools": []})
    with pytest.raises(ConfigError, match="activation is one of"):
        model(activation="tanh")
