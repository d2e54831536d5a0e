"""What the tests share: the service that they are run against, and both of its clients."""

from __future__ import annotations

import asyncio
import inspect
import json
import os
import uuid
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from sealway import AsyncSealway, AsyncSealwayTeam, Sealway, SealwayTeam


class Service:
    """A running service. The variables are those of ``.sealway/env``."""

    def __init__(self) -> None:
        self.url = os.environ["SEALWAY_URL"]
        self.app_id = os.environ["SEALWAY_APP"]
        self.api_key = os.environ["SEALWAY_API_KEY"]
        self.team_id = os.environ["SEALWAY_TEAM"]
        self.team_key = os.environ["SEALWAY_TEAM_KEY"]

    def options(self, **others: Any) -> dict[str, Any]:
        return {"app_id": self.app_id, "api_key": self.api_key, "base_url": self.url, **others}


class Client:
    """One of the clients. Tests that have one run twice."""

    def __init__(self, service: Service, kind: str, loop: asyncio.AbstractEventLoop) -> None:
        self.service = service
        self.is_async = kind == "async"
        self._loop = loop
        self._opened: list[Any] = []
        self.sealway: Any = self.open()

    def open(self, **others: Any) -> Any:
        """Opens another client of the same kind, with other options."""
        sealway = (AsyncSealway if self.is_async else Sealway)(**self.service.options(**others))
        self._opened.append(sealway)
        return sealway

    def open_team(self) -> Any:
        """Opens a client of the team, of the same kind."""
        service = self.service
        options: dict[str, Any] = {"team_id": service.team_id, "team_key": service.team_key, "base_url": service.url}
        team = (AsyncSealwayTeam if self.is_async else SealwayTeam)(**options)
        self._opened.append(team)
        return team

    def http(self, **options: Any) -> Any:
        """Opens a client of httpx of the same kind."""
        http = httpx.AsyncClient(**options) if self.is_async else httpx.Client(**options)
        self._opened.append(http)
        return http

    def do(self, result: Any) -> Any:
        """Returns the result of a call, awaited; of an iterator, the items."""
        if inspect.isawaitable(result):
            return self._loop.run_until_complete(_await(result))
        if isinstance(result, AsyncIterator) or hasattr(result, "__aiter__"):
            return self._loop.run_until_complete(_collect(result))
        if isinstance(result, Iterator) or hasattr(result, "pages"):
            return list(result)
        return result

    def close(self) -> None:
        for sealway in self._opened:
            self.do(sealway.aclose() if self.is_async else sealway.close())


async def _await(result: Any) -> Any:
    return await result


async def _collect(items: Any) -> list[Any]:
    return [item async for item in items]


@pytest.fixture(scope="session")
def service() -> Service:
    return Service()


@pytest.fixture
def team(service: Service) -> Iterator[SealwayTeam]:
    with SealwayTeam(team_id=service.team_id, team_key=service.team_key, base_url=service.url) as team:
        yield team


@pytest.fixture(params=["sync", "async"])
def client(request: pytest.FixtureRequest, service: Service) -> Iterator[Client]:
    loop = asyncio.new_event_loop()
    client = Client(service, request.param, loop)
    yield client
    client.close()
    loop.run_until_complete(loop.shutdown_default_executor())
    loop.close()


@pytest.fixture
def new_role(service: Service) -> Callable[[], str]:
    """Creates a data role without policies, and returns its slug."""

    def create() -> str:
        slug = f"py-{uuid.uuid4().hex[:12]}"
        with Sealway(**service.options()) as sealway:
            sealway.api.create_data_role(body={"slug": slug, "name": "From a test"})
        return slug

    return create


@pytest.fixture(scope="session")
def vectors() -> Callable[[str], Any]:
    """Reads a file of the format's vectors."""
    folder = Path(os.environ["SEALWAY_VECTORS"])
    return lambda name: json.loads((folder / name).read_text())
