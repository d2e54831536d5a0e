from __future__ import annotations

import base64
import io
import time
import uuid
import zipfile
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from conftest import Client

from sealway import Sealway

SOURCE = """
exports.handler = async ({ card, fails }) => {
  if (fails) throw new Error("It fails")
  return { last4: card.slice(-4) }
}
"""


@pytest.fixture(scope="module")
def function(service: Any) -> Iterator[str]:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("index.js", SOURCE)
    name = f"py-{uuid.uuid4().hex[:12]}"
    code = base64.b64encode(packed.getvalue()).decode()
    with Sealway(**service.options()) as sealway:
        sealway.api.deploy_function(body={"name": name, "language": "node@24", "handler": "index.js", "code": code})
        while sealway.api.get_function(function_name=name)["status"] == "deploying":
            time.sleep(0.05)
        yield name
        sealway.api.delete_function(function_name=name)


def test_a_function_is_run_with_decrypted_values_and_its_failure_is_a_result(client: Client, function: str) -> None:
    functions, do = client.sealway.functions, client.do
    card = do(client.sealway.encrypt("4242424242424242"))
    run = do(functions.run(function, {"card": card}))
    assert (run["status"], run["result"]) == ("success", {"last4": "4242"})
    run = do(functions.run(function, {"fails": True}))
    assert (run["status"], run["error"]["message"]) == ("failure", "It fails")


def test_a_function_is_run_later_and_the_run_is_found_by_its_id(client: Client, function: str) -> None:
    functions, do = client.sealway.functions, client.do
    scheduled = do(functions.schedule(function, {"card": do(client.sealway.encrypt("4242424242424242"))}))
    assert scheduled.status == "scheduled"
    while (run := do(functions.get_run(function, scheduled.run_id)))["status"] == "scheduled":
        time.sleep(0.05)
    assert (run["status"], run["result"]) == ("success", {"last4": "4242"})


def test_a_page_runs_it_once_with_a_token_for_its_payload(client: Client, function: str) -> None:
    payload = {"card": client.do(client.sealway.encrypt("4242424242424242"))}
    token = client.do(client.sealway.functions.create_run_token(function, payload))["token"]
    url = f"{client.service.url}/functions/{function}/runs"
    headers = {"authorization": f"RunToken {token}"}
    assert httpx.post(url, json={"payload": payload}, headers=headers).json()["result"] == {"last4": "4242"}
    assert httpx.post(url, json={"payload": payload}, headers=headers).status_code >= 400


def test_a_run_with_the_same_idempotency_key_is_the_same_run(client: Client, function: str) -> None:
    functions, key = client.sealway.functions, str(uuid.uuid4())
    runs = [client.do(functions.run(function, {"card": "1234"}, idempotency_key=key, timeout=30)) for _ in range(2)]
    assert runs[0]["id"] == runs[1]["id"]


def test_a_name_leads_to_no_other_path(client: Client) -> None:
    with pytest.raises(TypeError, match="must be an id"):
        client.do(client.sealway.functions.run("..", {}))
