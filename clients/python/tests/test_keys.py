from __future__ import annotations

import base64
import threading
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from flows import Script, answer, refusal

from sealway import ApiError, SealwayConnectionError
from sealway._flow import Acquire, Done, Exchange, Flow, HttpAnswer, HttpRequest, NoAnswer, exchange, step
from sealway._keys.app_key import AppKeyCache
from sealway._keys.subject_key import SubjectKeyCache
from sealway._requests.answer import ApiAnswer, read_answer, read_refusal
from sealway._requests.send import no_answer

APP = "app_1"


def point() -> str:
    key = ec.generate_private_key(ec.SECP256R1()).public_key()
    return base64.b64encode(key.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)).decode()


def app_key(app: str = APP, debug: str = "true", **headers: str) -> HttpAnswer:
    content = {"appUuid": app, "ecdhP256KeyUncompressed": point()}
    return answer(200, content, {"x-service-debug-mode": debug, "cache-control": "max-age=300", **headers})


def ask(_: str = "") -> Flow[ApiAnswer]:
    """Asks the service, without retries."""
    received = yield from exchange(HttpRequest("GET", "https://api.example.com/keys", {}))
    if isinstance(received, NoAnswer):
        raise no_answer("The service", received)
    if received.status >= 400:
        raise read_refusal(received)
    return read_answer(received)


class Clock:
    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


def cache_of(clock: Clock) -> AppKeyCache:
    return AppKeyCache(APP, ask, threading.Lock(), clock)


def test_the_key_is_fetched_once_and_again_when_cache_control_says_so() -> None:
    clock, script = Clock(), Script([app_key(), app_key()])
    cache = cache_of(clock)
    first = script.run(cache.get())
    clock.seconds = 299.9
    assert script.run(cache.get()) is first
    assert len(script.requests) == 1
    clock.seconds = 300
    assert script.run(cache.get()) is not first
    assert len(script.requests) == 2


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"age": "100"}, 200),
        ({"cache-control": "no-transform"}, 60),
        ({"cache-control": "public, max-age=86400"}, 3600),
        ({"cache-control": "max-age=0"}, 0),
        ({"age": "nonsense"}, 300),
    ],
)
def test_a_key_is_as_old_as_its_way_through_caches(headers: dict[str, str], seconds: float) -> None:
    clock, script = Clock(), Script([app_key(**headers)])
    cache = cache_of(clock)
    script.run(cache.get())
    clock.seconds = seconds
    script.answers = [app_key()]
    script.run(cache.get())
    assert script.answers == []
    if seconds > 0:
        clock, script = Clock(), Script([app_key(**headers)])
        cache = cache_of(clock)
        script.run(cache.get())
        clock.seconds = seconds - 0.1
        script.run(cache.get())


def test_an_outdated_key_serves_an_hour_of_outage_and_is_asked_for_every_ten_seconds() -> None:
    lost = NoAnswer("connection-failed", "ConnectError")
    clock, script = Clock(), Script([app_key(), lost, refusal(503, "service-unavailable"), lost])
    cache = cache_of(clock)
    first = script.run(cache.get())
    for seconds, asked in ((300, 2), (309, 2), (310, 3), (3899, 4)):
        clock.seconds = seconds
        assert script.run(cache.get()) is first
        assert len(script.requests) == asked
    clock.seconds = 3900
    script.answers = [lost]
    with pytest.raises(SealwayConnectionError):
        script.run(cache.get())


def test_a_refusal_is_no_outage() -> None:
    clock, script = Clock(), Script([app_key(), refusal(401, "unauthorized")])
    cache = cache_of(clock)
    script.run(cache.get())
    clock.seconds = 300
    with pytest.raises(ApiError):
        script.run(cache.get())


def test_the_ephemeral_key_is_kept_when_the_same_app_key_is_fetched_again() -> None:
    clock, same = Clock(), app_key()
    script = Script([same, same])
    cache = cache_of(clock)
    first = script.run(cache.get())
    clock.seconds = 300
    assert script.run(cache.get()) is first
    assert len(script.requests) == 2


def test_one_caller_refreshes_while_others_use_the_old_key() -> None:
    clock, script = Clock(), Script([app_key()])
    cache = cache_of(clock)
    first = script.run(cache.get())
    clock.seconds = 300
    refreshing = cache.get()
    assert isinstance(next(refreshing), Exchange)
    assert Script().run(cache.get()) is first
    refreshing.close()
    script.answers = [app_key()]
    assert script.run(cache.get()) is not first


def test_callers_who_wait_for_the_first_key_ask_once() -> None:
    lock = threading.Lock()
    cache = AppKeyCache(APP, ask, lock, Clock())
    one, two = cache.get(), cache.get()
    for flow in (one, two):
        assert isinstance(step(flow), Acquire)
    lock.acquire()
    assert isinstance(step(one), Exchange)
    first = step(one, app_key())
    assert isinstance(first, Done)
    lock.acquire()
    assert step(two) == first
    assert not lock.locked()


@pytest.mark.parametrize(
    "wrong",
    [
        app_key("app_2"),
        app_key(debug="maybe"),
        answer(200, {"appUuid": APP, "ecdhP256KeyUncompressed": "AAAA"}, {"x-service-debug-mode": "true"}),
        answer(200, {"appUuid": APP, "ecdhP256KeyUncompressed": base64.b64encode(b"\x04" + b"\1" * 64).decode()}),
        answer(200, [], {"x-service-debug-mode": "true"}),
        answer(204),
    ],
)
def test_an_answer_without_the_apps_key_is_unexpected(wrong: HttpAnswer) -> None:
    with pytest.raises(SealwayConnectionError) as raised:
        Script([wrong]).run(cache_of(Clock()).get())
    assert raised.value.code == "unexpected-response"


def subject_key(number: int = 1, app: str = APP, **others: Any) -> HttpAnswer:
    content = {"id": f"data_subject_{number:032x}", "app": app, "publicKey": point(), "isSandbox": True, **others}
    return answer(200, content)


def test_the_key_of_a_data_subject_is_used_for_five_seconds_and_never_longer() -> None:
    clock, script = Clock(), Script([subject_key(), subject_key(2)])
    cache = SubjectKeyCache(APP, ask, threading.Lock, clock)
    first = script.run(cache.get("user-1"))
    assert first.recipient.subject_id == bytes(15) + b"\1"
    clock.seconds = 4.9
    assert script.run(cache.get("user-1")) is first
    assert script.run(cache.get("user-2")) is not first
    clock.seconds = 5
    script.answers = [NoAnswer("connection-failed", "ConnectError")]
    with pytest.raises(SealwayConnectionError):
        script.run(cache.get("user-1"))


@pytest.mark.parametrize(
    "wrong", [subject_key(app="app_2"), subject_key(id="data_subject_1"), subject_key(isSandbox="no"), answer(204)]
)
def test_an_answer_without_the_key_of_a_data_subject_is_unexpected(wrong: HttpAnswer) -> None:
    with pytest.raises(SealwayConnectionError):
        Script([wrong]).run(SubjectKeyCache(APP, ask, threading.Lock, Clock()).get("user-1"))


def test_a_thousand_data_subjects_are_remembered() -> None:
    script = Script([subject_key(index) for index in range(1002)])
    cache = SubjectKeyCache(APP, ask, threading.Lock, Clock())
    for index in range(1001):
        script.run(cache.get(f"user-{index}"))
    script.run(cache.get("user-1000"))
    assert len(script.requests) == 1001
    script.run(cache.get("user-0"))
    assert len(script.requests) == 1002
