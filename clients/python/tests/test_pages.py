from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from flows import Script, answer

from sealway import SealwayConnectionError
from sealway._api.pages import all_items, all_pages, page_source
from sealway._flow import HttpAnswer
from sealway._requests.request import Request
from sealway._requests.send import CallOptions, Connection, Sender

SENDER = Sender(Connection("https://api.example.com"), lambda: "Basic x")


def source(cursor: Any = "startingAfter") -> Any:
    request: Request[Any] = Request("GET", "/roles", query={"limit": 2}, cursor=cursor)
    return page_source(SENDER, request, CallOptions())


def script_of(*pages: object) -> Script:
    return Script([page if isinstance(page, HttpAnswer) else answer(200, page) for page in pages])


def test_a_list_goes_on_after_the_last_id_or_after_what_the_service_names() -> None:
    script = script_of(
        {"data": [{"id": "a"}, {"id": "b"}], "hasMore": True},
        {"data": [], "hasMore": True, "continueAfter": "x"},
        {"data": [{"id": "c"}], "hasMore": False, "continueAfter": None},
    )
    assert script.items(all_pages(source())) == [[{"id": "a"}, {"id": "b"}], [], [{"id": "c"}]]
    queries = [request.url.partition("?")[2] for request in script.requests]
    assert queries == ["limit=2", "limit=2&startingAfter=b", "limit=2&startingAfter=x"]


def test_a_list_with_page_numbers_goes_on_at_the_next_one() -> None:
    script = script_of({"data": [{"id": "a"}], "nextPage": 2}, {"data": [{"id": "b"}], "nextPage": None})
    assert script.run(all_items(source("page"))) == [{"id": "a"}, {"id": "b"}]
    assert script.requests[1].url.endswith("?limit=2&page=2")


@pytest.mark.parametrize(
    "pages",
    [
        [{"data": [{"id": "a"}], "hasMore": True}] * 3,
        [{"data": [], "nextPage": 1}] * 3,
        [{"data": [{"id": each}], "hasMore": True} for each in "abab"],
        [{"data": [], "hasMore": True}],
        [{"data": [{"name": "a"}], "hasMore": True}],
        [{"items": []}],
        [[]],
        [answer(204)],
    ],
)
def test_a_list_that_does_not_advance_or_is_none_is_unexpected(pages: Sequence[object]) -> None:
    with pytest.raises(SealwayConnectionError) as raised:
        script_of(*pages).run(all_items(source()))
    assert raised.value.code == "unexpected-response"
