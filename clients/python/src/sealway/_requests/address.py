"""Addresses and paths."""

from __future__ import annotations

import re
from urllib.parse import quote

import httpx

from .credentials import VISIBLE

_LOOPBACK = re.compile(r"localhost|127(\.\d{1,3}){3}|::1")


def parse_url(url: object) -> httpx.URL | None:
    """Parses a URL as the library does that connects to it: another parser may see another host. None: it is none."""
    try:
        # Parsers drop or encode other characters, such as tabs and line ends.
        parsed = httpx.URL(url) if isinstance(url, str) and VISIBLE.fullmatch(url) else None
    except httpx.InvalidURL:
        return None
    return parsed if parsed is not None and parsed.host and (parsed.port or 0) < 65_536 else None


def parse_service_address(name: str, address: object, *, allow_http: bool) -> str:
    """Returns the address that paths are appended to, without a slash at the end.

    Raises ValueError if it is not an https address; http is for this machine, unless ``allow_http``.
    """
    if not isinstance(address, str):
        raise TypeError(f"{name} must be a URL.")
    url = parse_url(address)
    if url is None:
        raise ValueError(f"{name} must be a URL.")
    if url.scheme not in ("https", "http"):
        raise ValueError(f"{name} must begin with https://.")
    if url.scheme == "http" and not allow_http and not _LOOPBACK.fullmatch(url.host):
        raise ValueError(
            f"{name} must begin with https://: over http, anyone on the way can read keys and values. "
            "Pass allow_http=True if the network is yours."
        )
    if url.userinfo or "?" in address or "#" in address:
        raise ValueError(f"{name} must not contain credentials, a query or a fragment.")
    return address.rstrip("/")


def path_segment(name: str, value: object) -> str:
    """Encodes an id so that it cannot lead to another path."""
    if not isinstance(value, str) or value in ("", ".", ".."):
        raise TypeError(f"{name} must be an id.")
    try:
        return quote(value, safe="")
    except UnicodeEncodeError:
        pass
    raise TypeError(f"{name} must be an id.")
