from __future__ import annotations

import os
import ssl
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import httpx
import pytest
from conftest import Client
from flows import Script, answer

from sealway import ApiError, Sealway, SealwayConnectionError, async_forward_proxy_transport, forward_proxy_transport
from sealway._relay.routes import RelayRoutes
from sealway._requests.send import Connection, Sender

ROUTES: list[Any] = [
    {
        "method": "POST",
        "path": "/charges",
        "request": [{"action": "decrypt", "selections": [{"type": "json", "selector": "$.card"}]}],
    }
]


class Destination:
    """A server that knows nothing of Sealway, and notes what it receives."""

    def __init__(self, context: ssl.SSLContext | None = None) -> None:
        received: list[tuple[str, str, dict[str, str]]] = []

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"])).decode()
                received.append((self.path, body, {name.lower(): value for name, value in self.headers.items()}))
                status = {"/moved": 302, "/refuses": 403}.get(self.path, 200)
                self.send_response(status)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", "13")
                if status == 302:
                    self.send_header("location", "https://evil.example/")
                self.end_headers()
                self.wfile.write(b'{"id":"ch_1"}')

            def log_message(self, *args: Any) -> None: ...

        self.received = received
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        if context is not None:
            self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
        scheme, host = ("http", "127.0.0.1") if context is None else ("https", "localhost")
        self.url = f"{scheme}://{host}:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.start()

    def close(self) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


def relay_to(destination: Destination, service: Any) -> None:
    with Sealway(**service.options()) as sealway:
        domain = destination.url.removeprefix("https://")
        sealway.api.create_relay(body={"destinationDomain": domain, "authentication": "api-key", "routes": ROUTES})


@pytest.fixture(scope="module")
def destination(service: Any) -> Iterator[Destination]:
    destination = Destination()
    relay_to(destination, service)
    yield destination
    destination.close()


@pytest.fixture(scope="module")
def secure_destination(service: Any) -> Iterator[Destination]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(os.environ["DESTINATION_CERTIFICATE"], os.environ["DESTINATION_KEY"])
    destination = Destination(context)
    relay_to(destination, service)
    yield destination
    destination.close()


def relayed(client: Client, **options: Any) -> Any:
    """Opens a client of httpx whose requests go through the relays."""
    sealway = client.open(relay_url=os.environ["SEALWAY_RELAY_URL"], **options)
    http = sealway.relay.client(timeout=20)
    client._opened.append(http)
    return http


def test_a_request_goes_through_the_relay_of_its_destination_which_keeps_the_api_key(
    client: Client, destination: Destination
) -> None:
    card = client.do(client.sealway.encrypt("4242424242424242"))
    http = relayed(client)
    url = f"{destination.url}/charges?a=%2F"
    response = client.do(http.post(url, json={"card": card}, headers={"x-own": "1", "x-service-api-key": "other"}))
    assert (response.status_code, response.json()) == (200, {"id": "ch_1"})
    path, body, headers = destination.received[-1]
    assert (path, body, headers["x-own"]) == ("/charges?a=%2F", '{"card":"4242424242424242"}', "1")
    assert client.service.api_key not in str(headers)
    assert client.service.api_key not in f"{response.request.headers!r}{http!r}"
    assert str(response.request.url) == url


def test_a_destination_without_a_relay_is_sent_nothing(client: Client, destination: Destination) -> None:
    http, before = relayed(client), len(destination.received)
    for url in (
        "https://evil.example/charges",
        f"{destination.url.replace('127.0.0.1', 'localhost')}/charges",
        f"{client.service.url}/keys",
    ):
        with pytest.raises(ValueError, match="The app has no relay for this destination"):
            client.do(http.post(url, json={}))
    with pytest.raises(ValueError, match="must not contain credentials") as raised:
        client.do(http.post(f"{destination.url.replace('//', '//user:marker@')}/charges", json={}))
    assert "marker" not in str(raised.value)
    assert len(destination.received) == before


def test_redirects_and_refusals_of_the_destination_are_returned(client: Client, destination: Destination) -> None:
    http = relayed(client)
    moved = client.do(http.post(f"{destination.url}/moved", json={}))
    assert (moved.status_code, moved.headers["location"]) == (302, "https://evil.example/")
    assert client.do(http.post(f"{destination.url}/refuses", json={})).status_code == 403


def test_refusals_of_the_relay_are_errors_with_its_code(client: Client, destination: Destination) -> None:
    damaged = client.do(client.sealway.encrypt("x"))
    damaged = damaged[:-6] + ("A" if damaged[-6] != "A" else "B") + damaged[-5:]
    with pytest.raises(ApiError) as raised:
        client.do(relayed(client).post(f"{destination.url}/charges", json={"card": damaged}))
    assert raised.value.code == "bad-request"
    assert damaged not in str(raised.value)


def test_known_relays_are_asked_for_once_a_minute(client: Client, destination: Destination) -> None:
    told: list[str] = []
    http = relayed(client, on_attempt=lambda attempt: told.append(attempt.route))
    for _ in range(2):
        client.do(http.post(f"{destination.url}/charges", json={}))
    assert told == ["/relays"]


def test_the_api_key_goes_to_the_relays_own_domain_and_to_no_other(client: Client, destination: Destination) -> None:
    sent: list[httpx.Request] = []

    def note(request: httpx.Request) -> httpx.Response:
        sent.append(request)
        return httpx.Response(200, json={})

    http = client.http(transport=client.sealway.relay.transport(httpx.MockTransport(note)))
    client.do(http.post(f"{destination.url}/charges?a=1#b", json={}))
    relays = client.do(client.sealway.api.list_relays())
    domain = next(each["relayDomain"] for each in relays if each["destinationDomain"] == destination.url)
    assert [str(each.url) for each in sent] == [f"https://{domain}/charges?a=1"]
    assert sent[0].headers["host"] == domain
    assert sent[0].headers["x-service-api-key"] == client.service.api_key
    assert "authorization" not in sent[0].headers


@pytest.mark.parametrize("option", ["proxy", "mounts", "transport", "verify", "trust_env"])
def test_no_option_of_a_client_leads_around_the_relays(client: Client, option: str) -> None:
    with pytest.raises(TypeError, match=f"does not take {option}"):
        client.sealway.relay.client(**{option: None})


@pytest.mark.parametrize("domain", ["evil.example/path", "user@evil.example", "evil.example#", "evil example", ""])
def test_a_relay_with_a_malformed_domain_is_unexpected(domain: str) -> None:
    relays = {"data": [{"id": "r", "destinationDomain": "api.example.com", "relayDomain": domain}], "hasMore": False}
    connection = Connection("https://api.example.com")
    routes = RelayRoutes(Sender(connection, lambda: "Basic x"), dict, None, allow_http=False)
    with pytest.raises(SealwayConnectionError) as raised:
        Script([answer(200, relays)]).run(routes.redirect(httpx.Request("POST", "https://api.example.com/charges")))
    assert raised.value.code == "unexpected-response"


def proxy_options(service: Any, ca: str) -> dict[str, Any]:
    proxy_url = os.environ["SEALWAY_PROXY_URL"]
    return {"proxy_url": proxy_url, "app_id": service.app_id, "api_key": service.api_key, "ca": ca}


@pytest.fixture(scope="module")
def ca() -> str:
    return httpx.get(os.environ["SEALWAY_CA_URL"]).text


def proxied(client: Client, options: dict[str, Any]) -> Any:
    create: Any = async_forward_proxy_transport if client.is_async else forward_proxy_transport
    return client.http(transport=create(**options))


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_the_forward_proxy_is_used_by_a_client_of_httpx(
    client: Client, secure_destination: Destination, ca: str, scheme: str
) -> None:
    options = proxy_options(client.service, ca)
    http = proxied(client, {**options, "proxy_url": options["proxy_url"].replace("http:", f"{scheme}:")})
    card = client.do(client.sealway.encrypt("4242424242424242"))
    for _ in range(2):
        response = client.do(http.post(f"{secure_destination.url}/charges", json={"card": card}))
        assert response.json() == {"id": "ch_1"}
        assert secure_destination.received[-1][1] == '{"card":"4242424242424242"}'


def test_the_forward_proxy_refuses_wrong_keys_and_destinations_without_a_relay(client: Client, ca: str) -> None:
    options = proxy_options(client.service, ca)
    wrong = {**options, "api_key": options["api_key"][:-1] + ("y" if options["api_key"].endswith("x") else "x")}
    for each, url in ((wrong, "https://localhost:1/"), (options, "https://localhost:1/")):
        with pytest.raises(httpx.ProxyError) as raised:
            client.do(proxied(client, each).get(url))
        assert client.service.api_key[:-1] not in f"{raised.value!r}"


def test_inside_of_tunnels_no_other_authority_is_trusted(client: Client, secure_destination: Destination) -> None:
    with open(os.environ["DESTINATION_CERTIFICATE"]) as file:
        http = proxied(client, proxy_options(client.service, file.read()))
    with pytest.raises(httpx.ConnectError, match="CERTIFICATE_VERIFY_FAILED"):
        client.do(http.post(f"{secure_destination.url}/charges", json={}))


@pytest.mark.parametrize(
    "wrong",
    [
        {"proxy_url": "http://proxy.example.com/marker"},
        {"ca": "marker"},
        {"api_key": "a\r\nb: marker"},
        {"app_id": "a:marker"},
    ],
)
def test_wrong_options_of_the_forward_proxy_are_refused_without_repeating_them(
    service: Any, wrong: dict[str, str]
) -> None:
    certificate = "-----BEGIN CERTIFICATE-----"
    with pytest.raises((TypeError, ValueError)) as raised:
        forward_proxy_transport(**{**proxy_options(service, certificate), **wrong})
    assert "marker" not in str(raised.value)
