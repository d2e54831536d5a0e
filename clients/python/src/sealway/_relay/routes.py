"""Which relay stands before which destination."""

from __future__ import annotations

import re
import time
from collections.abc import Callable

import httpx

from .._api.pages import all_items, page_source
from .._flow import Flow, HttpAnswer
from .._generated.operations import AppOperations
from .._requests.address import parse_service_address
from .._requests.answer import read_refusal
from .._requests.send import DEFAULT_OPTIONS, Sender
from ..errors import ApiError, SealwayConnectionError, unexpected
from ..types import Relay

# How long the app's relays are remembered.
MAX_AGE = 60.0
PAGE_SIZE = 100


class RelayRoutes:
    """Knows the app's relays, and turns requests to destinations into requests to them."""

    def __init__(
        self,
        sender: Sender,
        credentials: Callable[[], dict[str, str]],
        relay_url: str | None,
        *,
        allow_http: bool,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._sender = sender
        self._credentials = credentials
        self._shared = (
            None if relay_url is None else parse_service_address("relay_url", relay_url, allow_http=allow_http)
        )
        self._now = now
        self._known: dict[str, str] = {}
        self._loaded_at = float("-inf")

    def redirect(self, request: httpx.Request) -> Flow[httpx.Request]:
        """Returns the request as it is sent to the relay. The given one stays without credentials.

        Raises ValueError if the app has no relay for the destination: the request is not sent around the relay.
        """
        url = request.url
        if url.scheme not in ("http", "https"):
            raise ValueError("The address must be a URL that begins with https:// or http://.")
        if url.userinfo:
            raise ValueError("The address must not contain credentials. Send them in a header.")
        domain = yield from self._domain_of(_origin(url))
        address = httpx.URL(self._shared or f"https://{domain}")
        path = address.raw_path.rstrip(b"/") + url.raw_path
        headers = request.headers.copy()
        headers.update({"host": domain, **self._credentials()})
        target = address.copy_with(raw_path=path)
        return httpx.Request(
            request.method, target, headers=headers, stream=request.stream, extensions=request.extensions
        )

    def _domain_of(self, origin: str) -> Flow[str]:
        is_fresh = 0 <= self._now() - self._loaded_at < MAX_AGE
        domain = self._known.get(origin) if is_fresh else None
        if domain is None:
            # A relay that was just created is not remembered yet.
            yield from self._load()
            domain = self._known.get(origin)
        if domain is None:
            raise ValueError("The app has no relay for this destination.")
        return domain

    def _load(self) -> Flow[None]:
        request = AppOperations.list_relays.request(limit=PAGE_SIZE)
        relays = yield from all_items(page_source(self._sender, request, DEFAULT_OPTIONS))
        self._known = {_origin_of_destination(each): _checked_domain(each) for each in relays}
        self._loaded_at = self._now()


def refusal_of(response: httpx.Response, content: bytes) -> ApiError | SealwayConnectionError:
    """Reads what a relay says about a request that it refuses."""
    return read_refusal(HttpAnswer(response.status_code, response.headers, content))


def is_refusal(response: httpx.Response) -> bool:
    """Whether the relay refuses, rather than the destination."""
    return "x-service-error-code" in response.headers


def _origin(url: httpx.URL) -> str:
    # httpx leaves out the port that the scheme has anyway.
    return f"{url.scheme}://{url.netloc.decode().lower()}"


def _origin_of_destination(relay: Relay) -> str:
    domain = relay["destinationDomain"]
    return _origin(httpx.URL(domain if "://" in domain else f"https://{domain}"))


def _checked_domain(relay: Relay) -> str:
    domain = relay["relayDomain"]
    if not re.fullmatch(r"[A-Za-z0-9.-]+(:[0-9]{1,5})?", domain, re.ASCII):
        raise unexpected("The service names a relay whose domain is malformed.")
    return domain
