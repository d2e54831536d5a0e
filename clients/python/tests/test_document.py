from __future__ import annotations

import datetime
import decimal
import enum
import pickle
import tracemalloc
from collections import OrderedDict
from types import MappingProxyType
from typing import Any

import pytest

from sealway import DataTooLargeError, UnsealableDataError
from sealway._sealing.document import copy_document

MB = 1_048_576


class Colour(str, enum.Enum):
    RED = "red"


class Size(enum.IntEnum):
    LARGE = 3


def values_of(data: object) -> list[tuple[str, bytes]]:
    return [(value.kind, value.content) for value in copy_document(data).values]


def test_each_str_number_and_bool_is_a_value_in_the_order_of_the_document() -> None:
    document: dict[str, Any] = {"b": "x", "a": [1, -2.5e-7, True, False, None, {}, []], "": "", "ü": "héllo ✓ 🚀\0"}
    assert values_of(document) == [
        ("string", b"x"),
        ("number", b"1"),
        ("number", b"-2.5e-07"),
        ("boolean", b"true"),
        ("boolean", b"false"),
        ("string", b""),
        ("string", "héllo ✓ 🚀\0".encode()),
    ]
    copy = copy_document(document)
    filled = copy.fill([str(index) for index in range(7)])
    assert filled == {"b": "0", "a": ["1", "2", "3", "4", None, {}, []], "": "5", "ü": "6"}
    assert list(filled) == list(document)


def test_a_document_is_copied_before_anything_else_happens() -> None:
    data = {"a": ["x"], "b": {"c": "y"}}
    copy = copy_document(data)
    data["a"].append("z")  # type: ignore[attr-defined]
    data["b"]["c"] = "changed"  # type: ignore[index]
    assert copy.fill(["0", "1"]) == {"a": ["0"], "b": {"c": "1"}}
    assert [value.content for value in copy.values] == [b"x", b"y"]


def test_subclasses_are_what_json_makes_of_them() -> None:
    assert values_of([Colour.RED, Size.LARGE]) == [("string", b"red"), ("number", b"3")]
    assert values_of((1, (2,))) == [("number", b"1"), ("number", b"2")]
    for mapping in (OrderedDict(a=1), MappingProxyType({"a": 1})):
        assert copy_document(mapping).fill(["0"]) == {"a": "0"}


def cycle() -> list[Any]:
    items: list[Any] = []
    items.append({"again": items})
    return items


@pytest.mark.parametrize(
    ("data", "pointer"),
    [
        ({"a": [0, float("nan")]}, "/a/1"),
        ({"a": float("inf")}, "/a"),
        ({"a/b~c": datetime.datetime(2026, 1, 1, tzinfo=datetime.timezone.utc)}, "/a~1b~0c"),
        ([decimal.Decimal("1.0")], "/0"),
        ({1, 2}, ""),
        ({"a": {7: "x"}}, "/a"),
        ({"a": b"marker"}, "/a"),
        ({"a": "marker\ud800"}, "/a"),
        (cycle(), "/0/again"),
        (iter([1]), ""),
        (object(), ""),
    ],
)
def test_what_json_would_lose_or_change_is_refused_with_its_place_and_without_its_content(
    data: object, pointer: str
) -> None:
    with pytest.raises(UnsealableDataError) as raised:
        copy_document(data)
    assert isinstance(raised.value, TypeError)
    assert raised.value.pointer == pointer
    assert "marker" not in f"{raised.value!r}{raised.value.__cause__!r}{raised.value.__context__!r}"


def test_errors_are_the_same_in_another_process() -> None:
    for error in (UnsealableDataError("It is wrong", "/a"), DataTooLargeError("It is large", "/a")):
        copy = pickle.loads(pickle.dumps(error))  # noqa: S301
        assert (type(copy), str(copy), copy.pointer) == (type(error), str(error), "/a")


def test_a_list_that_is_too_long_is_refused_before_it_is_copied() -> None:
    items = [None] * 4_000_000
    tracemalloc.start()
    try:
        with pytest.raises(DataTooLargeError):
            copy_document(items)
        assert tracemalloc.get_traced_memory()[1] < MB
    finally:
        tracemalloc.stop()


def nested(depth: int) -> object:
    data: object = "x"
    for _ in range(depth):
        data = [data]
    return data


def test_what_the_service_would_not_open_again_is_refused_and_what_is_as_large_is_not() -> None:
    for fits, too_large in (
        ("x" * 5 * MB, "x" * (5 * MB + 1)),
        ("é" * (5 * MB // 2), "é" * (5 * MB // 2) + "x"),
        (["x"] * 250_000, ["x"] * 250_001),
        (nested(100), nested(101)),
        (["x" * 5 * MB] * 20, ["x" * 5 * MB] * 20 + ["x"]),
        ([None] * 999_999, [None] * 1_000_000),
    ):
        copy_document(fits)
        with pytest.raises(DataTooLargeError):
            copy_document(too_large)
    with pytest.raises(ValueError, match="too many digits"):
        copy_document(10**4300)
    assert values_of(10**4300 - 1) == [("number", b"9" * 4300)]
