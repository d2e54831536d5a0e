"""The forward proxy, through which requests reach their destinations by their own addresses."""

from __future__ import annotations

import ssl

import httpx

from .._requests.address import parse_service_address
from .._requests.credentials import require_visible


def forward_proxy_transport(
    *, proxy_url: str, app_id: str, api_key: str, ca: str, allow_http: bool = False
) -> httpx.HTTPTransport:
    """Returns a transport for a client of httpx, through the forward proxy.

    The app's relays encrypt and decrypt there: ``httpx.Client(transport=forward_proxy_transport(...))``. The proxy
    refuses destinations without a relay.

    ``proxy_url`` is ``https://proxy.relay.example.com:443``, locally ``$SEALWAY_PROXY_URL``. ``ca`` is the certificate
    authority of the proxy, in PEM: fetch it once, over a way that you trust. No other authority is trusted inside
    tunnels. ``allow_http`` allows a ``proxy_url`` that begins with ``http://`` on other machines than this one.
    """
    return httpx.HTTPTransport(
        proxy=_proxy(proxy_url, app_id, api_key, ca, allow_http=allow_http),
        verify=_trust(ca),
        trust_env=False,
    )


def async_forward_proxy_transport(
    *, proxy_url: str, app_id: str, api_key: str, ca: str, allow_http: bool = False
) -> httpx.AsyncHTTPTransport:
    """Returns the same as ``forward_proxy_transport`` for ``httpx.AsyncClient``."""
    return httpx.AsyncHTTPTransport(
        proxy=_proxy(proxy_url, app_id, api_key, ca, allow_http=allow_http),
        verify=_trust(ca),
        trust_env=False,
    )


def _proxy(proxy_url: str, app_id: str, api_key: str, ca: str, *, allow_http: bool) -> httpx.Proxy:
    address = parse_service_address("proxy_url", proxy_url, allow_http=allow_http)
    if ":" in require_visible("app_id", app_id):
        raise TypeError("app_id must not contain a colon.")
    context = None
    if address.startswith("https:"):
        # The proxy has a certificate of a public authority, or of its own.
        context = ssl.create_default_context()
        context.load_verify_locations(cadata=_require_pem(ca))
    return httpx.Proxy(address, auth=(app_id, require_visible("api_key", api_key)), ssl_context=context)


def _trust(ca: str) -> ssl.SSLContext:
    return ssl.create_default_context(cadata=_require_pem(ca))


def _require_pem(ca: object) -> str:
    if not isinstance(ca, str) or "-----BEGIN CERTIFICATE-----" not in ca:
        raise TypeError("ca must be a certificate in PEM.")
    return ca
