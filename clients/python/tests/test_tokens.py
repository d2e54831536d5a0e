"""What is sealed here, against the vectors of the format and the independent program that checks them."""

from __future__ import annotations

import base64
import importlib.util
import os
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from flows import Script

from sealway._flow import Flow
from sealway._sealing.keys import Ephemeral, KeySource, Recipient
from sealway._sealing.sealer import FileSealing, seal_document, seal_file
from sealway._sealing.streaming import Layout, PartOpening, derive_stream, seal_chunks
from sealway._sealing.tokens import TokenKey, compressed, content_key, encode_metadata, is_token, is_whole_file
from sealway.errors import DamagedFileError, DataTooLargeError

Vectors = Callable[[str], Any]
DOCUMENT = {"name": "Ada", "age": 36, "big": 12345678901234567890, "rate": 1.5, "small": 1e-7, "member": True}


@pytest.fixture(scope="module")
def checker() -> ModuleType:
    """The independent program. Importing it checks all vectors."""
    path = Path(os.environ["SEALWAY_VECTORS"]) / "check_vectors.py"
    spec = importlib.util.spec_from_file_location("check_vectors", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["check_vectors"] = module
    spec.loader.exec_module(module)
    return module


class App:
    """An app with its private key, and the independent program's idea of it."""

    def __init__(self, checker: ModuleType, vectors: Vectors, *, is_sandbox: bool = False) -> None:
        agreed = vectors("tokens.json")
        private_key = bytes.fromhex(agreed["keys"]["prime256v1"]["privateKeyHex"])
        self.private_key = ec.derive_private_key(int.from_bytes(private_key, "big"), ec.SECP256R1())
        self.recipient = Recipient(self.private_key.public_key(), is_sandbox)
        self.source = KeySource(self.recipient, lambda: 0.0)
        self.checker = checker
        self.opener = checker.App({"prime256v1": private_key}, agreed["derPrefixes"])

    def key(self) -> Flow[KeySource]:
        yield from ()
        return self.source

    def seal(self, data: object, role: str | None = None) -> Any:
        return Script().run(seal_document(data, role, self.key, lambda: 1_700_000_000.9))

    def open(self, token: str) -> tuple[Any, ...]:
        opened: tuple[Any, ...] = self.checker.open_token(token, self.opener)[:5]
        return opened


@pytest.fixture(params=[False, True], ids=["production", "sandbox"])
def app(request: pytest.FixtureRequest, checker: ModuleType, vectors: Vectors) -> App:
    return App(checker, vectors, is_sandbox=request.param)


def test_every_vector_of_p256_is_written_again_byte_for_byte(checker: ModuleType, vectors: Vectors) -> None:
    app = App(checker, vectors)
    of_p256 = [each for each in vectors("tokens.json")["tokens"] if each["version"] in ("Tk9D", "QkTC")]
    assert len(of_p256) > 20
    for vector in of_p256:
        iv, segment, _ = (base64.b64decode(part + "==") for part in vector["token"].split(":")[-4:-1])
        ephemeral = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), segment)
        secret = content_key(app.private_key.exchange(ec.ECDH(), ephemeral), ephemeral)
        is_debug = vector["token"].startswith("ev:debug:")
        key = TokenKey(AESGCM(secret), segment, compressed(app.recipient.public_key), debug=is_debug)
        written = bytes.fromhex(vector["metadataHex"] or "")
        metadata = len(written).to_bytes(2, "little") + written if written else None
        assert key.seal(vector["type"], app.open(vector["token"])[4], metadata, iv) == vector["token"]


def test_every_vector_for_data_subjects_is_written_again_byte_for_byte(vectors: Vectors) -> None:
    subjects = vectors("subjects.json")
    for vector in subjects["agreed"]["vectors"]:
        subject = subjects["subjects"][vector["subject"]]
        public_key = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), bytes.fromhex(subject["publicKey"]))
        ephemeral = ec.derive_private_key(int(vector["ephemeralPrivateKey"], 16), ec.SECP256R1())
        secret = content_key(ephemeral.exchange(ec.ECDH(), public_key), ephemeral.public_key())
        assert secret.hex() == vector["contentKey"]
        segment = bytes.fromhex(subject["subjectId"]) + compressed(ephemeral.public_key())
        key = TokenKey(AESGCM(secret), segment, bytes.fromhex(subject["publicKey"]), debug=vector["debug"])
        metadata = encode_metadata(vector["role"], vector["encryptedAt"])
        token = key.seal(vector["type"], vector["value"].encode(), metadata, bytes.fromhex(vector["iv"]))
        assert token == vector["token"]


def test_every_streaming_vector_is_written_again_and_opened_in_any_pieces(
    checker: ModuleType, vectors: Vectors
) -> None:
    app = App(checker, vectors)
    for vector in vectors("streaming.json")["files"]:
        sealed = base64.b64decode(vector["fileBase64"])
        layout = Layout(vector["headerBytes"], vector["chunkBytes"], vector["plaintextBytes"])
        key = bytes.fromhex(vector["fileKey"])
        content = open_all(key, layout, sealed, 0, layout.plaintext_bytes, 7)
        assert sealed[layout.header_bytes :] == b"".join(seal_chunks(key, layout, 0, content))
        if vector["keys"] == "agreed":
            own = Ephemeral(sealed[9:42], bytes.fromhex(vector["contentKey"]))
            metadata = encode_metadata(vector["role"], vector["encryptedAt"])
            recipient = Recipient(app.recipient.public_key, vector["debug"])
            started = derive_stream(own, recipient, vector["chunkBytes"], metadata, bytes.fromhex(vector["salt"]))
            assert (started.header, started.key) == (sealed[: layout.header_bytes], key)


def open_all(key: bytes, layout: Layout, sealed: bytes, start: int, end: int, step: int = 1000) -> bytes:
    first, after = layout.sealed_range(start, end)
    return open_part(key, layout, sealed[first:after], start, end, step)


def open_part(key: bytes, layout: Layout, sealed: bytes, start: int, end: int, step: int = 1000) -> bytes:
    opening = PartOpening(key, layout, start, end)
    pieces: list[bytes] = []
    for at in range(0, len(sealed), step):
        pieces += opening.update(sealed[at : at + step])
    return b"".join([*pieces, *opening.finish()])


def test_the_independent_program_opens_every_value_with_its_type_and_its_digits(app: App) -> None:
    sealed = app.seal(DOCUMENT)
    assert list(sealed) == list(DOCUMENT)
    opened = {name: app.open(token) for name, token in sealed.items()}
    assert {name: (kind, value) for name, (_, kind, _, _, value) in opened.items()} == {
        "name": ("string", b"Ada"),
        "age": ("number", b"36"),
        "big": ("number", b"12345678901234567890"),
        "rate": ("number", b"1.5"),
        "small": ("number", b"1e-07"),
        "member": ("boolean", b"true"),
    }
    assert {debug for debug, *_ in opened.values()} == {app.recipient.is_sandbox}


def test_a_role_and_the_time_are_sealed_into_each_value(app: App) -> None:
    for token in app.seal({"card": "4242", "age": 36, "member": False}, "pci").values():
        assert ":QkTC:" in token
        assert app.open(token)[2:4] == ("pci", 1_700_000_000)


def test_a_file_is_opened_whether_it_is_sealed_at_once_or_piece_by_piece(app: App) -> None:
    for size in (0, 1, 15, 16, 17, 300_001):
        content = os.urandom(size)
        whole = Script().run(seal_file(content, app.key))
        stream = FileSealing(app.source.file_key())
        pieces = [stream.header, *(stream.update(content[at : at + 4096]) for at in range(0, size, 4096)), stream.end()]
        for sealed in (whole, b"".join(pieces)):
            assert len(sealed) == size + 75
            assert app.checker.open_file(sealed, app.opener) == content
            assert is_whole_file(sealed)
            assert Script().run(seal_file(sealed, app.key)) is sealed
        for changed in (whole[:-1], whole + b"\0", bytes([whole[0] ^ 1]) + whole[1:]):
            assert not is_whole_file(changed)


def test_tokens_stay_as_they_are_and_what_only_begins_like_one_is_sealed(app: App, vectors: Vectors) -> None:
    for bad in vectors("tokens.json")["bad"]:
        if is_token(bad["token"]):
            assert app.seal([bad["token"]]) == [bad["token"]]
    token = app.seal("x")
    assert app.seal({"a": token, "b": None, "c": [], "d": {}}) == {"a": token, "b": None, "c": [], "d": {}}
    for text in ("ev:", token[:-1], token + "\n", f" {token}", token.replace("ev:", "EV:")):
        assert app.open(app.seal(text))[4] == text.encode()


def test_each_value_has_its_own_iv_and_an_ephemeral_key_serves_a_minute_and_a_million_values(
    checker: ModuleType, vectors: Vectors
) -> None:
    now = [0.0]
    source = KeySource(App(checker, vectors).recipient, lambda: now[0])
    first = source.token_key(2**20 - 1)
    assert source.token_key(1) is first
    second = source.token_key(1)
    assert second is not first
    now[0] = 59.9
    assert source.token_key(1) is second
    now[0] = 60.0
    third = source.token_key(1)
    assert third is not second
    now[0] = 0.0
    assert source.token_key(1) is not third
    tokens = App(checker, vectors).seal(["x"] * 2000)
    assert len({token.split(":")[-4] for token in tokens}) == 2000


def test_what_takes_long_is_work_that_others_need_not_wait_for(app: App) -> None:
    for data, worked in ((["x"] * 511, 0), (["x"] * 512, 1), ("x" * 262_143, 0), ("x" * 262_144, 1)):
        script = Script()
        script.run(seal_document(data, None, app.key))
        assert script.worked == worked
    for size, worked in ((262_143, 0), (262_144, 1)):
        script = Script()
        script.run(seal_file(bytes(size), app.key))
        assert script.worked == worked


def test_a_process_that_forks_repeats_no_iv(app: App) -> None:
    app.seal("x")
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(writer, "\n".join(app.seal(["x"] * 100)).encode())
        os._exit(0)
    os.waitpid(child, 0)
    os.close(writer)
    with os.fdopen(reader) as file:
        theirs = file.read().split("\n")
    assert len({token.split(":")[-4] for token in theirs + app.seal(["x"] * 100)}) == 200


LAYOUT = Layout(0, 64, 64 * 5 + 10)
CONTENT = bytes(index % 251 for index in range(LAYOUT.plaintext_bytes))
KEY = bytes(range(32))
SEALED = b"".join(seal_chunks(KEY, LAYOUT, 0, CONTENT))


@pytest.mark.parametrize("start", [0, 1, 63, 64, 65, 319, 320, 330])
def test_a_range_of_a_streaming_file_is_opened_alone(start: int) -> None:
    for end in (start, start + 1, 64, 128, 320, 330):
        if start <= end <= 330:
            assert open_all(KEY, LAYOUT, SEALED, start, end) == CONTENT[start:end]


def test_no_other_bytes_open_as_a_streaming_file() -> None:
    size = LAYOUT.chunk_bytes + 16
    chunks = [SEALED[at : at + size] for at in range(0, len(SEALED), size)]
    damaged = {
        "cut at a chunk": b"".join(chunks[:-1]),
        "cut within one": SEALED[:-1],
        "empty": b"",
        "continued": SEALED + b"\0",
        "with a chunk twice": b"".join([*chunks, chunks[-1]]),
        "with chunks swapped": b"".join([chunks[1], chunks[0], *chunks[2:]]),
        "with a chunk left out": b"".join([chunks[0], *chunks[2:]]),
        "with a short chunk": b"".join([chunks[0][:5], *chunks[1:]]),
        **{
            f"with byte {at} changed": SEALED[:at] + bytes([SEALED[at] ^ 1]) + SEALED[at + 1 :]
            for at in range(0, 400, 37)
        },
    }
    for sealed in damaged.values():
        with pytest.raises(DamagedFileError):
            open_part(KEY, LAYOUT, sealed, 0, LAYOUT.plaintext_bytes)


def test_a_range_with_more_than_was_asked_for_is_damaged_and_its_rest_is_not_returned() -> None:
    opening = PartOpening(KEY, LAYOUT, 0, 70)
    assert b"".join(opening.update(SEALED)) == CONTENT[:70]
    with pytest.raises(DamagedFileError):
        list(opening.finish())


def test_a_stream_that_grows_too_large_fails_while_it_is_read(app: App) -> None:
    file = FileSealing(app.source.file_key())
    file.update(bytes(25 * 1_048_576))
    with pytest.raises(DataTooLargeError):
        file.update(b"x")
    with pytest.raises(DataTooLargeError):
        Script().run(seal_file(bytes(25 * 1_048_576 + 1), app.key))
