from __future__ import annotations

import contextlib
import datetime
import enum
import operator
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Optional

import pytest
import typing_extensions
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from gym_clinic import Case, Kind, ToolError, tool
from gym_clinic.toolbox import Tool, Toolbox, nearest, to_text

OptionalInt = operator.getitem(Optional, int)  # the older way of writing has to work too


class Route(enum.Enum):
    ORAL = "oral"
    IV = "iv"


class Dose(BaseModel):
    """A dose."""

    drug: str
    milligrams: float = Field(gt=0)
    route: Route = Route.ORAL


@tool
def order_all(
    text: str,
    count: int,
    ratio: float,
    flag: bool,
    choice: Literal["a", "b"],
    maybe: OptionalInt,
    many: list[str],
    table: dict[str, float],
    dose: Dose,
    day: datetime.date,
    moment: datetime.datetime,
    score: Annotated[int, Field(ge=3, le=15)],
    either: int | str = "x",
    doses: list[Dose] | None = None,
) -> dict[str, Any]:
    """Order everything
    at once.

    More of the summary.

    Args:
        text: A text, of which the description
            runs over two lines.
        count: A count.
        ratio (float): A ratio: with a colon.
        flag: A flag.
        choice: A choice.
        maybe: A number or none.
        many: Several texts.
        table: Numbers by name.
        dose: One dose.
        day: A day.
        moment: A moment.
        score: A score.
        either: One or the other.
        doses: Doses.

    Returns:
        What was understood.
    """
    return dict(locals())


FITTING: dict[str, Any] = {
    "text": "t", "count": 2, "ratio": 0.5, "flag": True, "choice": "a", "maybe": None,
    "many": ["x"], "table": {"k": 1.5}, "dose": {"drug": "d", "milligrams": 2, "route": "iv"},
    "day": "2024-02-29", "moment": "2024-02-29T12:00:00", "score": 15,
}  # fmt: skip


def test_schema_from_signature_and_docstring() -> None:
    function = order_all.schema["function"]
    assert order_all.schema["type"] == "function"
    assert function["name"] == "order_all"
    assert function["description"] == "Order everything at once. More of the summary."
    parameters = function["parameters"]
    assert parameters["type"] == "object"
    assert parameters["additionalProperties"] is False
    assert parameters["required"] == list(FITTING)
    fields = parameters["properties"]
    kinds = {"text": "string", "count": "integer", "ratio": "number", "flag": "boolean"}
    assert {name: fields[name]["type"] for name in kinds} == kinds
    assert fields["text"]["description"] == "A text, of which the description runs over two lines."
    assert fields["ratio"]["description"] == "A ratio: with a colon."
    assert fields["choice"]["enum"] == ["a", "b"]
    assert fields["maybe"]["anyOf"] == [{"type": "integer"}, {"type": "null"}]
    assert fields["many"] == {
        "type": "array", "items": {"type": "string"}, "description": "Several texts.",
    }  # fmt: skip
    assert fields["table"]["additionalProperties"] == {"type": "number"}
    assert fields["day"]["format"] == "date"
    assert fields["moment"]["format"] == "date-time"
    assert (fields["score"]["minimum"], fields["score"]["maximum"]) == (3, 15)
    assert fields["either"]["default"] == "x"
    assert fields["dose"]["$ref"] == "#/$defs/Dose"
    assert fields["dose"]["description"] == "One dose."
    dose = parameters["$defs"]["Dose"]
    assert dose["required"] == ["drug", "milligrams"]
    assert parameters["$defs"]["Route"]["enum"] == ["oral", "iv"]
    assert "title" not in str(parameters)


def test_arguments_arrive_as_their_types() -> None:
    got = order_all.call(dict(FITTING), Case({}))
    assert got["dose"] == Dose(drug="d", milligrams=2, route=Route.IV)
    assert got["day"] == datetime.date(2024, 2, 29)
    assert got["moment"] == datetime.datetime(2024, 2, 29, 12)
    assert got["either"] == "x"
    assert got["doses"] is None
    numbered = order_all.call({**FITTING, "text": 5, "count": "7"}, Case({}))
    assert (numbered["text"], numbered["count"]) == ("5", 7)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"count": "many"}, "argument 'count': Input should be a valid integer"),
        ({"count": "many"}, "got 'many'"),
        ({"count": 1.5}, "'count'"),
        ({"count": True}, "argument 'count': Input should be a whole number, got true (A count.)"),
        ({"score": False}, "argument 'score'"),
        ({"ratio": True}, "argument 'ratio': Input should be a number, got true"),
        ({"table": {"k": True}}, "argument 'table.k': Input should be a number, got true"),
        ({"dose": {"drug": "d", "milligrams": True}}, "argument 'dose.milligrams'"),
        ({"doses": [{"drug": "d", "milligrams": True}]}, "argument 'doses.0.milligrams'"),
        ({"flag": "perhaps"}, "valid boolean"),
        ({"choice": "c"}, "Input should be 'a' or 'b', got 'c'"),
        ({"table": []}, "argument 'table': Input should be a JSON object, got []"),
        ({"dose": "aspirin"}, "argument 'dose': Input should be a JSON object, got 'aspirin'"),
        ({"doses": ["aspirin"]}, "'doses.0': Input should be a JSON object, got 'aspirin'"),
        ({"many": "x"}, "valid list"),
        ({"table": {"k": "v"}}, "argument 'table.k'"),
        ({"dose": {"drug": "d", "milligrams": -1}}, "argument 'dose.milligrams'"),
        ({"dose": {"drug": "d"}}, "argument 'dose.milligrams' is missing"),
        ({"dose": {"drug": "d", "milligrams": 1, "route": "nose"}}, "'oral' or 'iv'"),
        ({"day": "yesterday"}, "argument 'day'"),
        ({"score": 16}, "less than or equal to 15, got 16"),
        ({"ratio": float("nan")}, "finite"),
        ({"ratio": float("inf")}, "finite"),
        ({"txt": "t"}, "unknown argument 'txt'; did you mean 'text'?"),
        ({"wholly_other": 1}, "unknown argument 'wholly_other'; it takes ['text',"),
        ({"text": {"x": "y" * 500}}, "…"),
    ],
)
def test_messages_an_agent_can_act_on(change: dict[str, Any], says: str) -> None:
    with pytest.raises(ToolError) as caught:
        order_all.call({**FITTING, **change}, Case({}))
    assert str(caught.value).startswith("order_all: ")
    assert says in str(caught.value)
    assert len(str(caught.value)) < 600


def test_a_missing_argument_is_described() -> None:
    with pytest.raises(ToolError) as caught:
        order_all.call({}, Case({}))
    assert "argument 'count' is missing (A count.)" in str(caught.value)


@given(
    st.dictionaries(
        st.sampled_from([*FITTING, "other", ""]),
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
            lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner),
            max_leaves=5,
        ),
    )
)
def test_any_arguments_are_taken_or_explained(arguments: dict[str, Any]) -> None:
    with contextlib.suppress(ToolError):
        got = order_all.call({**FITTING, **arguments}, Case({}))
        assert got.keys() == {*FITTING, "either", "doses"}


def test_the_case_is_injected_and_hidden() -> None:
    @tool(kind=Kind.WRITE, name="look_up")
    def look(case: Case, key: str) -> Any:
        """Look.

        Args:
            key: Which.
        """
        return case[key]

    assert look.kind is Kind.WRITE
    assert look.name == look.schema["function"]["name"] == "look_up"
    assert list(look.schema["function"]["parameters"]["properties"]) == ["key"]
    assert look.call({"key": "a"}, Case({"a": 1})) == 1
    assert look(Case({"a": 2}), "a") == 2
    with pytest.raises(ToolError, match="unknown argument 'case'"):
        look.call({"key": "a", "case": {}}, Case({"a": 1}))


def no_docstring(x: int) -> None: ...


def no_type(x) -> None:
    """Do.

    Args:
        x: It.
    """


def undescribed(x: int, y: int) -> None:
    """Do.

    Args:
        x: It.
    """


def overdescribed(x: int) -> None:
    """Do.

    Args:
        x: It.
        z: Not there.
    """


def starred(*x: int) -> None:
    """Do."""


class Opaque: ...


def opaque(x: Opaque) -> None:
    """Do.

    Args:
        x: It.
    """


@pytest.mark.parametrize(
    ("function", "says"),
    [
        (no_docstring, "tool 'no_docstring': the docstring must say what it does"),
        (no_type, "tool 'no_type': 'x' needs a type"),
        (undescribed, r"tool 'undescribed': Args must describe \['y'\]"),
        (overdescribed, r"tool 'overdescribed': Args describes \['z'\], which it does not take"),
        (starred, r"tool 'starred': \*args, \*\*kwargs and / have no schema"),
        (opaque, "tool 'opaque': no schema for a parameter"),
    ],
)
def test_definition_mistakes_fail_at_import(function: Any, says: str) -> None:
    with pytest.raises(TypeError, match=says):
        Tool(function)


def test_toolbox() -> None:
    box = Toolbox([order_all])
    assert [one.name for one in box] == ["order_all"]
    assert box.get("order_all") is order_all
    assert box.get("other") is None
    box.schemas()[0]["function"].clear()
    assert box.schemas() == [order_all.schema]
    assert box.unknown("Order_Al") == "No tool 'Order_Al'. Did you mean 'order_all'?"
    assert box.unknown("x" * 10_000) == f"No tool '{'x' * 80}'. There are: order_all."
    with pytest.raises(TypeError, match="two tools are named 'order_all'"):
        Toolbox([order_all, order_all])


def test_schemas_are_made_anew_whatever_they_say() -> None:
    @tool
    def quote(text: Literal["'", '"', "\\", "{x}", "\n"]) -> str:
        """Write '"{text}"' \\ and no more; "); 1 / 0 (".

        Args:
            text: What is quoted: '"', {braces} or \\.
        """
        return text

    box = Toolbox([quote])
    first, second = box.schemas(), box.schemas()
    assert first == second == [quote.schema]
    first[0]["function"]["parameters"]["properties"]["text"]["enum"].clear()
    assert second == box.schemas() == [quote.schema]


def test_nearest_ignores_case() -> None:
    assert nearest("GETVITALS", ("get_vitals", "order_lab")) == "get_vitals"
    assert nearest("zzz", ("get_vitals", "order_lab")) is None
    assert nearest("x", ()) is None


@dataclass
class Reading:
    value: int


def test_results_as_text() -> None:
    assert to_text("β as it is") == "β as it is"
    assert to_text({"a": [1, None, "β"]}) == '{"a":[1,null,"β"]}'
    assert to_text(Dose(drug="d", milligrams=1)) == '{"drug":"d","milligrams":1.0,"route":"oral"}'
    assert to_text([Dose(drug="d", milligrams=1)]).startswith("[{")
    assert to_text(Case({"a": {"b": (1,)}})) == '{"a":{"b":[1]}}'
    assert to_text(Reading(3)) == '{"value":3}'
    assert to_text(Route.IV) == '"iv"'
    assert to_text({"β": 2 * 10**30}) == '{"β":2000000000000000000000000000000}'
    assert to_text(datetime.date(2024, 2, 29)) == '"2024-02-29"'
    with pytest.raises(TypeError) as caught:
        to_text({"x": object()})
    assert "a tool returned object" in f"{caught.value} {caught.value.__cause__}"


class Part(typing_extensions.TypedDict):
    """A part of an argument."""

    drug: str
    milligrams: float


@tool
def order_parts(
    part: Part, parts: list[Part] | None = None, tables: dict[str, Part] | None = None
) -> None:
    """Order parts.

    Args:
        part: One.
        parts: Several.
        tables: Several by name.
    """


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"part": {"drug": "d", "miligrams": 1}}, "'part.miligrams'; did you mean 'milligrams'?"),
        ({"parts": [{"wholly": 1}]}, "'parts.0.wholly'; it takes ['drug', 'milligrams']"),
        ({"tables": {"a": {"wholly": 1}}}, "unknown argument 'tables.a.wholly'"),
    ],
)
def test_an_unknown_field_inside_an_argument_is_told_the_fields_of_its_object(
    change: dict[str, Any], says: str
) -> None:
    with pytest.raises(ToolError) as caught:
        order_parts.call({"part": {"drug": "d", "milligrams": 1}, **change}, Case({}))
    assert says in str(caught.value)
