"""Copies documents, and puts tokens in the place of their values."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ..errors import DataTooLargeError, UnsealableDataError
from .tokens import is_token

# The largest value that the service opens: 5 MB of UTF-8.
MAX_VALUE_BYTES = 5 * 1_048_576
# How many values of one document are encrypted, as by the service.
MAX_VALUES = 250_000
# How deep dicts and lists may be nested, as in the service.
MAX_DEPTH = 100
# How many values, Nones, dicts and lists a document may have. One that occurs twice counts twice.
MAX_NODES = 1_000_000
# The bytes of all values together: twenty values of the largest size.
MAX_BYTES = 20 * MAX_VALUE_BYTES


class Value(NamedTuple):
    """A value to seal, and where its token goes."""

    kind: str
    content: bytes
    """UTF-8, or the JSON literal of a number or boolean."""
    container: Any
    name: str | int


@dataclass
class Document:
    """A copy of a document, in which its values are still missing."""

    root: dict[str, Any] = field(default_factory=dict, repr=False)
    values: list[Value] = field(default_factory=list, repr=False)
    size: int = 0
    """Of all values, in bytes."""

    def fill(self, tokens: list[str]) -> Any:
        """Puts a token in the place of each value, and returns the document."""
        for value, token in zip(self.values, tokens, strict=True):
            value.container[value.name] = token
        return self.root[""]


def copy_document(data: object) -> Document:
    """Copies a document, so that nobody can change it while its values are encrypted. Tokens stay as they are.

    Raises UnsealableDataError for what JSON cannot hold, and DataTooLargeError. Both have a ``pointer``.
    """
    copy = _Copy()
    copy.add(copy.document.root, "", data)
    return copy.document


class _Copy:
    def __init__(self) -> None:
        self.document = Document()
        self._path: list[str | int] = []
        self._ancestors: list[object] = []
        self._nodes = 0

    def add(self, container: Any, name: str | int, data: object) -> None:
        self._nodes += 1
        if self._nodes > MAX_NODES:
            raise self._excess("It has too many values")
        if data is None:
            container[name] = None
        elif isinstance(data, str):
            # Of a member of an enumeration, its value.
            text = str.__str__(data)
            if is_token(text):
                container[name] = text
            else:
                self._add_value(container, name, "string", self._utf8(text))
        elif isinstance(data, bool):
            self._add_value(container, name, "boolean", b"true" if data else b"false")
        elif isinstance(data, int | float):
            self._add_value(container, name, "number", self._number(data))
        elif isinstance(data, Mapping | list | tuple):
            self._add_container(container, name, data)
        else:
            raise self._refusal(_reason(data))

    def _add_container(
        self, container: Any, name: str | int, data: Mapping[Any, Any] | list[Any] | tuple[Any, ...]
    ) -> None:
        if any(ancestor is data for ancestor in self._ancestors):
            raise self._refusal("It contains itself")
        if len(self._ancestors) >= MAX_DEPTH:
            raise self._excess("It is nested too deep")
        self._ancestors.append(data)
        if isinstance(data, Mapping):
            fields: dict[str, Any] = {}
            container[name] = fields
            for key, value in data.items():
                if not isinstance(key, str):
                    raise self._refusal("JSON has only names that are str")
                self._visit(fields, str.__str__(key), value)
        else:
            # Before anything of this length is created.
            if self._nodes + len(data) > MAX_NODES:
                raise self._excess("It has too many values")
            # Another thread may shorten the list meanwhile.
            given = tuple(data)
            items: list[Any] = [None] * len(given)
            container[name] = items
            for index, value in enumerate(given):
                self._visit(items, index, value)
        self._ancestors.pop()

    def _visit(self, container: Any, name: str | int, value: object) -> None:
        self._path.append(name)
        self.add(container, name, value)
        self._path.pop()

    def _add_value(self, container: Any, name: str | int, kind: str, content: bytes) -> None:
        document = self.document
        document.size += len(content)
        if len(content) > MAX_VALUE_BYTES or document.size > MAX_BYTES:
            raise self._excess("It is too large")
        if len(document.values) >= MAX_VALUES:
            raise self._excess("It has too many values")
        # Keeps the order of the fields.
        container[name] = None
        document.values.append(Value(kind, content, container, name))

    def _utf8(self, text: str) -> bytes:
        try:
            return text.encode()
        except UnicodeEncodeError:
            # It has the text, so that nothing may be raised from it.
            pass
        raise self._refusal("It contains a lone surrogate, which is not valid text")

    def _number(self, number: int | float) -> bytes:
        if isinstance(number, int):
            try:
                return int.__repr__(number).encode()
            except ValueError:
                pass
            raise self._excess("It is a number of too many digits")
        if not math.isfinite(number):
            raise self._refusal("JSON has no such number")
        return float.__repr__(number).encode()

    def _refusal(self, reason: str) -> UnsealableDataError:
        return UnsealableDataError(reason, self._pointer())

    def _excess(self, reason: str) -> DataTooLargeError:
        return DataTooLargeError(reason, self._pointer())

    def _pointer(self) -> str:
        return "".join(f"/{str(name).replace('~', '~0').replace('/', '~1')}" for name in self._path)


def _reason(data: object) -> str:
    if isinstance(data, bytes | bytearray | memoryview):
        return "Bytes can only be encrypted alone"
    return f"JSON has only dict, list, str, int, float, bool and None, and it is a {type(data).__name__}"
