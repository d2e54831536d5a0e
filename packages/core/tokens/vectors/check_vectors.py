#!/usr/bin/env python3
"""Opens all token and file vectors by docs/token-format.md alone, with nothing of Sealway's.

Needs Python 3.9 and `cryptography` (pip install cryptography). Prints how many vectors opened and how many were refused;
ends with status 1 if one of them did otherwise.
"""

import base64
import binascii
import hashlib
import hmac
import json
import pathlib
import re
import struct
import sys

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDF, HKDFExpand
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

FOLDER = pathlib.Path(__file__).parent
CURVES = {"prime256v1": ec.SECP256R1(), "secp256k1": ec.SECP256K1()}
P256_ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
TYPES = {"string": 0, "number": 1, "boolean": 2}


class Refused(Exception):
    pass


def require(condition):
    if not condition:
        raise Refused


def decode(segment):
    try:
        data = base64.b64decode(segment + "=" * (-len(segment) % 4), validate=True)
    except binascii.Error:
        raise Refused from None
    require(base64.b64encode(data).decode().rstrip("=") == segment)
    return data


def unpack(data):
    """Reads a MessagePack map of short strings and integers."""
    values, at = {}, 1
    require(data[0] >> 4 == 8)

    def item():
        nonlocal at
        tag = data[at]
        at += 1
        if tag < 0x80:
            return tag
        if tag >> 5 == 5:
            size = tag & 31
        else:
            size = {0xCC: 1, 0xCD: 2, 0xCE: 4}.get(tag)
            require(size is not None)
        raw = data[at : at + size]
        at += size
        return raw.decode() if tag >> 5 == 5 else int.from_bytes(raw, "big")

    for _ in range(data[0] & 15):
        key = item()
        require(key not in values)
        values[key] = item()
    require(at == len(data))
    return values


def split_metadata(plaintext):
    size = struct.unpack("<H", plaintext[:2])[0]
    return unpack(plaintext[2 : 2 + size]), plaintext[2 + size :]


def decrypt(key, iv, ciphertext, additional_data):
    try:
        return AESGCM(key).decrypt(iv, ciphertext, additional_data)
    except InvalidTag:
        raise Refused from None


def expand(key, segment):
    content_key = hmac.digest(key, segment + b"\x01", "sha256")
    assert content_key == HKDFExpand(hashes.SHA256(), 32, segment).derive(key)
    return content_key


def subject_private_key(subject_key):
    wide = HKDF(hashes.SHA256(), 48, None, b"sealway/v1/data-subject-agreement").derive(subject_key)
    return (int.from_bytes(wide, "big") % (P256_ORDER - 1) + 1).to_bytes(32, "big")


class App:
    """One key version: private keys by curve, and the value key with the P-256 public key. Any may be missing.

    Also the keys of data subjects by their ids.
    """

    def __init__(self, private_keys=None, kdf_infixes=None, value_key=None, public_key=None, subject_keys=None):
        self.private_keys, self.kdf_infixes = private_keys or {}, kdf_infixes or {}
        self.value_key, self.public_key, self.subject_keys = value_key, public_key, subject_keys or {}

    def agreed_key(self, curve, point, derivation):
        require(curve in self.private_keys and len(point) == 33 and point[0] in (2, 3))
        private = ec.derive_private_key(int.from_bytes(self.private_keys[curve], "big"), CURVES[curve])
        try:
            public = ec.EllipticCurvePublicKey.from_encoded_point(CURVES[curve], point)
        except ValueError:
            raise Refused from None
        shared = private.exchange(ec.ECDH(), public)
        own = private.public_key().public_bytes(Encoding.X962, PublicFormat.CompressedPoint)
        if derivation == "none":
            return shared, own
        uncompressed = public.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
        infix = bytes.fromhex(self.kdf_infixes[curve])
        return hashlib.sha256(shared + b"\0\0\0\1" + infix + uncompressed).digest(), own

    def symmetric_key(self, segment):
        require(self.value_key and len(segment) == 33 and segment[0] > 0x80)
        return expand(self.value_key, segment), self.public_key

    def subject_key(self, segment):
        """Returns the content key of a salt."""
        require(len(segment) == 33 and segment[0] == 0x80)
        subject_key = self.subject_keys.get(segment[1:17])
        require(subject_key is not None)
        return expand(subject_key, segment), self.public_key

    def subject_agreed_key(self, segment):
        """Returns the content key of an ephemeral key."""
        require(len(segment) == 49)
        subject_key = self.subject_keys.get(segment[:16])
        require(subject_key is not None)
        private_key = App(private_keys={"prime256v1": subject_private_key(subject_key)}, kdf_infixes=self.kdf_infixes)
        return private_key.agreed_key("prime256v1", segment[16:], "x963")


# Curve, derivation, whether the app's key is bound, number in the configuration byte.
VERSIONS = {
    "Tk9D": ("prime256v1", "x963", True, None),
    "QkTC": ("prime256v1", "x963", True, 1),
    "RFVC": ("secp256k1", "none", False, None),
    "S0lS": ("secp256k1", "x963", True, 0),
    "c3cx": (None, "hkdf", True, 2),
    "c3cy": (None, "subject", True, 3),
    "c3cz": ("prime256v1", "subject-x963", True, 4),
}


def open_token(token, app):
    parts = token.split(":")
    require(parts[0] == "ev" and parts[-1] == "$")
    parts = parts[1:-1]
    debug = parts[0] == "debug"
    parts = parts[1:] if debug else parts
    require(parts and parts[0] in VERSIONS)
    curve, derivation, binds_app, number = VERSIONS[parts.pop(0)]
    kind = parts.pop(0) if parts[0] in TYPES else "string"
    require(len(parts) == 3)
    iv, segment, ciphertext = map(decode, parts)
    require(len(iv) == 12 and len(ciphertext) >= 16)
    require(len(segment) == (49 if derivation == "subject-x963" else 33))
    if derivation == "hkdf":
        key, own = app.symmetric_key(segment)
    elif derivation == "subject":
        key, own = app.subject_key(segment)
    elif derivation == "subject-x963":
        key, own = app.subject_agreed_key(segment)
    else:
        key, own = app.agreed_key(curve, segment, derivation)
    if number is None:
        plaintext = decrypt(key, iv, ciphertext, own if binds_app else None)
        return debug, kind, None, None, plaintext, key
    byte = bytes([debug << 7 | TYPES[kind] << 4 | number])
    metadata, value = split_metadata(decrypt(key, iv, ciphertext, byte + segment + own))
    return debug, kind, metadata.get("dr"), metadata.get("et"), value, key


def open_file(data, app):
    require(len(data) >= 75 and data[:6] == b"%EVENC" and data[7:9] == b"\x37\x00")
    require(struct.unpack("<I", data[-4:])[0] == binascii.crc32(data[:-4]))
    version, segment, iv, flags, ciphertext = data[6], data[9:42], data[42:54], data[54], data[55:-4]
    require(flags in (0, 1) and version in (2, 3, 4))
    if version == 2:
        return decrypt(app.agreed_key("secp256k1", segment, "none")[0], iv, ciphertext, None)
    if version == 3:
        key, own = app.agreed_key("prime256v1", segment, "x963")
        return decrypt(key, iv, ciphertext, own)
    key, own = app.symmetric_key(segment)
    return decrypt(key, iv, ciphertext, data[:55] + own)


def open_streaming_file(data, app):
    """Returns the debug flag, the metadata, the chunk size, the file key and the content."""
    require(len(data) >= 78 and data[:7] == b"%EVENC\x05")
    (offset,) = struct.unpack("<H", data[7:9])
    segment, salt, flags, exponent = data[9:42], data[42:74], data[74], data[75]
    (size,) = struct.unpack("<H", data[76:78])
    require(flags in (0, 1) and 6 <= exponent <= 20 and offset == 78 + size + 32 and len(data) >= offset)
    header, commitment = data[: 78 + size], data[78 + size : offset]
    metadata = unpack(header[78:])
    require("dr" not in metadata or re.fullmatch("[a-z0-9-]{1,20}", metadata["dr"]))
    if segment[0] in (2, 3):
        key, own = app.agreed_key("prime256v1", segment, "x963")
    else:
        key, own = app.symmetric_key(segment)
    derived = HKDF(hashes.SHA256(), 64, salt, header + own).derive(key)
    require(hmac.compare_digest(derived[32:], commitment))
    sealed, step, chunks = data[offset:], 2**exponent + 16, []
    while not chunks or sealed:
        chunk, sealed = sealed[:step], sealed[step:]
        require(len(chunk) >= 16 and (len(chunk) > 16 or not chunks))
        nonce = len(chunks).to_bytes(11, "big") + (b"\0" if sealed else b"\1")
        chunks.append(decrypt(derived[:32], nonce, chunk, None))
    return bool(flags), metadata, 2**exponent, derived[:32], b"".join(chunks)


def check_refused(open_it, what):
    try:
        open_it()
    except Refused:
        return 1
    sys.exit("opened, but must be refused: " + what)


def check_agreed():
    vectors = json.loads((FOLDER / "tokens.json").read_text())
    keys = {curve: bytes.fromhex(key["privateKeyHex"]) for curve, key in vectors["keys"].items()}
    app = App(private_keys=keys, kdf_infixes=vectors["derPrefixes"])
    for vector in vectors["tokens"]:
        _, kind, role, _, value, _ = open_token(vector["token"], app)
        expected = vector["value"]
        assert (kind, role) == (vector["type"], vector["role"]), vector["token"]
        assert (value.decode() if kind == "string" else json.loads(value)) == expected, vector["token"]
    for vector in vectors["files"]:
        opened = open_file(base64.b64decode(vector["fileBase64"]), app)
        assert opened == base64.b64decode(vector["plaintextBase64"]), vector["fileBase64"]
    refused = sum(check_refused(lambda: open_token(bad["token"], app), bad["why"]) for bad in vectors["bad"])
    return len(vectors["tokens"]) + len(vectors["files"]), refused


def check_symmetric():
    vectors = json.loads((FOLDER / "symmetric.json").read_text())
    # One value key stands for all key versions that the vectors name.
    value_key, public_key = bytes.fromhex(vectors["valueKey"]), bytes.fromhex(vectors["appPublicKey"])
    app = App(value_key=value_key, public_key=public_key)
    for vector in vectors["vectors"]:
        debug, kind, role, at, value, key = open_token(vector["token"], app)
        expected = [vector[name] for name in ("debug", "type", "role", "encryptedAt", "value", "contentKey")]
        assert [debug, kind, role, at, value.decode(), key.hex()] == expected, vector["name"]
    for vector in vectors["files"]:
        opened = open_file(base64.b64decode(vector["fileBase64"]), app)
        assert opened == base64.b64decode(vector["plaintextBase64"]), vector["name"]
    refused = sum(check_refused(lambda: open_token(bad, app), why) for why, bad in vectors["refused"].items())
    for why, bad in vectors["refusedFiles"].items():
        refused += check_refused(lambda: open_file(base64.b64decode(bad), app), why)
    return len(vectors["vectors"]) + len(vectors["files"]), refused


def check_streaming():
    vectors, agreed, symmetric = (
        json.loads((FOLDER / name).read_text()) for name in ("streaming.json", "tokens.json", "symmetric.json")
    )
    private_key = bytes.fromhex(agreed["keys"]["prime256v1"]["privateKeyHex"])
    apps = {
        "agreed": App(private_keys={"prime256v1": private_key}, kdf_infixes=agreed["derPrefixes"]),
        "symmetric": App(
            value_key=bytes.fromhex(symmetric["valueKey"]), public_key=bytes.fromhex(symmetric["appPublicKey"])
        ),
    }
    for vector in vectors["files"]:
        opened = open_streaming_file(base64.b64decode(vector["fileBase64"]), apps[vector["keys"]])
        debug, metadata, chunk_bytes, key, content = opened
        found = [debug, metadata.get("dr"), metadata.get("et"), chunk_bytes, key.hex(), len(content)]
        names = ("debug", "role", "encryptedAt", "chunkBytes", "fileKey", "plaintextBytes")
        assert found == [vector[name] for name in names], vector["name"]
        assert content == hashlib.shake_256(b"content").digest(len(content)), vector["name"]
    refused = 0
    for why, bad in vectors["refused"].items():
        data = base64.b64decode(bad["fileBase64"])
        refused += check_refused(lambda: open_streaming_file(data, apps[bad["keys"]]), why)
    return len(vectors["files"]), refused


def check_subjects():
    vectors = json.loads((FOLDER / "subjects.json").read_text())
    keys = {bytes.fromhex(each["subjectId"]): bytes.fromhex(each["subjectKey"]) for each in vectors["subjects"]}
    for each in vectors["subjects"]:
        assert subject_private_key(bytes.fromhex(each["subjectKey"])).hex() == each["privateKey"]
    infixes = json.loads((FOLDER / "tokens.json").read_text())["derPrefixes"]
    public_key = bytes.fromhex(vectors["appPublicKey"])
    app = App(public_key=public_key, subject_keys=keys, kdf_infixes=infixes)
    agreed = vectors["agreed"]
    for vector in vectors["vectors"] + agreed["vectors"]:
        debug, kind, role, at, value, key = open_token(vector["token"], app)
        expected = [vector[name] for name in ("debug", "type", "role", "encryptedAt", "value", "contentKey")]
        assert [debug, kind, role, at, value.decode(), key.hex()] == expected, vector["name"]
    bad_tokens = [*vectors["refused"].items(), *agreed["refused"].items()]
    refused = sum(check_refused(lambda: open_token(bad, app), why) for why, bad in bad_tokens)
    return len(vectors["vectors"]) + len(agreed["vectors"]), refused


counts = [check_agreed(), check_symmetric(), check_streaming(), check_subjects()]
print(sum(opened for opened, _ in counts), "opened,", sum(refused for _, refused in counts), "refused")
