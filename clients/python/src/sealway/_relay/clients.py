"""Sends requests of httpx through the app's relays."""

from __future__ import annotations

from typing import Any

import httpx

from .._drive_async import AsyncDriver
from .._drive_sync import SyncDriver
from .._flow import MAX_REFUSAL_BYTES
from .._http import is_compressed
from .routes import RelayRoutes, is_refusal, refusal_of

# By others, such as `proxy`, httpx would send requests around the relays, or it would ignore them.
CLIENT_OPTIONS = frozenset(
    {
        *("auth", "base_url", "cookies", "default_encoding", "event_hooks", "follow_redirects"),
        *("headers", "max_redirects", "params", "timeout"),
    }
)


class RelayTransport(httpx.BaseTransport):
    """A transport of httpx that sends each request to the relay before its destination."""

    def __init__(self, routes: RelayRoutes, driver: SyncDriver, inner: httpx.BaseTransport) -> None:
        self._routes = routes
        self._driver = driver
        self._inner = inner

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        response = self._inner.handle_request(self._driver.run(self._routes.redirect(request)))
        if not is_refusal(response):
            return response
        content = bytearray()
        try:
            if not is_compressed(response):
                for piece in response.iter_bytes():
                    content += piece
                    if len(content) > MAX_REFUSAL_BYTES:
                        break
        finally:
            response.close()
        raise refusal_of(response, bytes(content))

    def close(self) -> None:
        self._inner.close()


class AsyncRelayTransport(httpx.AsyncBaseTransport):
    """A transport of httpx that sends each request to the relay before its destination."""

    def __init__(self, routes: RelayRoutes, driver: AsyncDriver, inner: httpx.AsyncBaseTransport) -> None:
        self._routes = routes
        self._driver = driver
        self._inner = inner

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        response = await self._inner.handle_async_request(await self._driver.run(self._routes.redirect(request)))
        if not is_refusal(response):
            return response
        content = bytearray()
        try:
            if not is_compressed(response):
                async for piece in response.aiter_bytes():
                    content += piece
                    if len(content) > MAX_REFUSAL_BYTES:
                        break
        finally:
            await response.aclose()
        raise refusal_of(response, bytes(content))

    async def aclose(self) -> None:
        await self._inner.aclose()


class RelayClient:
    """Sends requests to destinations through the relays that stand before them, which encrypt and decrypt.

    The API key needs the scope ``relay:read``, and goes to relays only.
    """

    def __init__(self, routes: RelayRoutes, driver: SyncDriver) -> None:
        self._routes = routes
        self._driver = driver

    def transport(self, inner: httpx.BaseTransport | None = None) -> httpx.BaseTransport:
        """Returns a transport for a client of httpx. ``inner`` reaches the relays; by default directly.

        Requests to a destination without a relay raise ValueError, and are not sent. Refusals of the relay itself raise
        ApiError; those of the destination are returned.
        """
        return RelayTransport(self._routes, self._driver, inner or httpx.HTTPTransport())

    def client(self, **options: Any) -> httpx.Client:
        """Returns a client of httpx with this transport, and with other options of httpx but those of connections."""
        _require_client_options(options)
        return httpx.Client(transport=self.transport(), **options)


class AsyncRelayClient:
    """Sends requests to destinations through the relays that stand before them, which encrypt and decrypt.

    The API key needs the scope ``relay:read``, and goes to relays only.
    """

    def __init__(self, routes: RelayRoutes, driver: AsyncDriver) -> None:
        self._routes = routes
        self._driver = driver

    def transport(self, inner: httpx.AsyncBaseTransport | None = None) -> httpx.AsyncBaseTransport:
        """Returns a transport for a client of httpx. ``inner`` reaches the relays; by default directly.

        Requests to a destination without a relay raise ValueError, and are not sent. Refusals of the relay itself raise
        ApiError; those of the destination are returned.
        """
        return AsyncRelayTransport(self._routes, self._driver, inner or httpx.AsyncHTTPTransport())

    def client(self, **options: Any) -> httpx.AsyncClient:
        """Returns a client of httpx with this transport, and with other options of httpx but those of connections."""
        _require_client_options(options)
        return httpx.AsyncClient(transport=self.transport(), **options)


def _require_client_options(options: dict[str, Any]) -> None:
    wrong = ", ".join(sorted(options.keys() - CLIENT_OPTIONS))
    if wrong:
        raise TypeError(
            f"A client of relays does not take {wrong}. Pass transport(inner) to a client of httpx instead."
        )
