"""What both drivers have to know of httpx."""

from __future__ import annotations

import httpx

from ._flow import HttpRequest, NoAnswer

# Of httpx.
MAX_URL_LENGTH = 65_536

# For `mounts`: a proxy of the environment gets no requests without TLS, for it could read keys and values. They are for
# this machine, or for a network that the caller trusts.
DIRECT = {"http://": None}


class _SecretUrl(httpx.URL):
    """A URL that is a permission: httpx logs the text of each URL that it requests."""

    def __str__(self) -> str:
        return f"{self.scheme}://{self.host}/…"

    __repr__ = __str__


def build_request(http: httpx.Client | httpx.AsyncClient, request: HttpRequest) -> httpx.Request:
    # Addresses have been parsed, so that nothing else can be wrong with it.
    if len(request.url) > MAX_URL_LENGTH:
        raise ValueError("The URL of the request is too long.")
    built = http.build_request(
        request.method,
        request.url,
        headers=request.headers,
        content=request.content,
        timeout=request.timeout,
    )
    if request.is_url_secret:
        built.url = _SecretUrl(request.url)
    return built


def is_compressed(response: httpx.Response) -> bool:
    """Whether the answer is compressed, which nobody asks for: 64 kB could become gigabytes, uncounted."""
    return "content-encoding" in response.headers and response.headers["content-encoding"].lower() != "identity"


def failure(error: httpx.HTTPError) -> NoAnswer:
    """Says that there is no answer. The error is not kept: it has the request, and may have what was received."""
    if isinstance(error, httpx.DecodingError):
        return NoAnswer("unexpected-response")
    is_late = isinstance(error, httpx.TimeoutException)
    return NoAnswer("connection-timeout" if is_late else "connection-failed", type(error).__name__)


def forget_request(response: httpx.Response) -> None:
    """Cuts the circle of a response and its stream, which would keep the request, a part of 8 MB perhaps.

    Python collects circles by their number, not by their size: a hundred of them may be in memory.
    """
    response.stream = httpx.ByteStream(b"")
