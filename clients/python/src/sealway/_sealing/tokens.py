"""Writes tokens and files, as ``docs/token-format.md`` of Sealway's repository specifies them.

Pure: everything random comes in. The public calls draw it, and accept none.
"""

from __future__ import annotations

import binascii
import hashlib
import re
import struct
import zlib

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

IV_BYTES = 12
TAG_BYTES = 16
POINT_BYTES = 33
SUBJECT_ID_BYTES = 16
FILE_HEADER_BYTES = 55
FILE_OVERHEAD_BYTES = FILE_HEADER_BYTES + TAG_BYTES + 4
MAGIC = b"%EVENC"

# The encryption origin of values that Sealway's software seals.
ORIGIN = 83
TYPES = {"string": 0, "number": 1, "boolean": 2}

# SubjectPublicKeyInfo with explicit parameters of P-256, in front of the uncompressed point.
DER_PREFIX = bytes.fromhex(
    "3082014b3082010306072a8648ce3d02013081f7020101302c06072a8648ce3d0101022100ffffffff00000001000000000000000000000000"
    "ffffffffffffffffffffffff305b0420ffffffff00000001000000000000000000000000fffffffffffffffffffffffc04205ac635d8aa3a93e7"
    "b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604b031500c49d360886e704936a6678e1139d26b7819f7e900441046b17d1f2e12c4247"
    "f8bce6e563a440f277037d812deb33a0f4a13945d898c2964fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f50221"
    "00ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551020101034200"
)

# Wider than the format where a deviation is more likely a damaged token than data, as in the service.
_TOKEN = re.compile(
    r"ev:(?:debug:)?[A-Za-z0-9+/]{4}:(?:(?:string|number|boolean):)?(?:[A-Za-z0-9+/]+={0,2}:){3}\$", re.ASCII
)
_ROLE = re.compile(r"[a-z0-9-]{1,20}", re.ASCII)


def is_token(text: str) -> bool:
    """Whether the text matches the token grammar. Everything else is data."""
    return text.startswith("ev:") and text.endswith(":$") and _TOKEN.fullmatch(text) is not None


def is_role_slug(text: str) -> bool:
    return _ROLE.fullmatch(text) is not None


def is_whole_file(data: bytes) -> bool:
    """Whether the bytes are a complete encrypted file, rather than data that only starts like one."""
    if len(data) < FILE_OVERHEAD_BYTES or data[:6] != MAGIC or data[6] not in (2, 3, 4) or data[7:9] != b"\x37\0":
        return False
    return int.from_bytes(data[-4:], "little") == zlib.crc32(memoryview(data)[:-4])


def content_key(shared_secret: bytes, ephemeral_key: ec.EllipticCurvePublicKey) -> bytes:
    """Derives a content key: the ANSI X9.63 KDF with one block."""
    point = ephemeral_key.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
    return hashlib.sha256(shared_secret + b"\0\0\0\1" + DER_PREFIX + point).digest()


def compressed(key: ec.EllipticCurvePublicKey) -> bytes:
    return key.public_bytes(Encoding.X962, PublicFormat.CompressedPoint)


def encode_metadata(role: str | None, encrypted_at: int | None) -> bytes:
    """Encodes the metadata in front of a value: its length, and a MessagePack map.

    ``encrypted_at`` is in epoch seconds.
    """
    entries = []
    if role is not None:
        entries.append(b"\xa2dr" + bytes([0xA0 | len(role)]) + role.encode())
    entries.append(b"\xa2eo" + bytes([ORIGIN]))
    if encrypted_at is not None:
        entries.append(b"\xa2et\xce" + struct.pack(">I", encrypted_at))
    content = bytes([0x80 | len(entries)]) + b"".join(entries)
    return struct.pack("<H", len(content)) + content


def base64_of(data: bytes) -> str:
    return binascii.b2a_base64(data, newline=False).decode().rstrip("=")


class TokenKey:
    """What seals values: a content key, and what tokens say about it."""

    def __init__(self, cipher: AESGCM, key_segment: bytes, public_key: bytes, *, debug: bool) -> None:
        """Makes a key for an app, or for a data subject: then ``key_segment`` begins with the id.

        ``key_segment`` ends with the ephemeral public key, compressed; ``public_key`` is that of the recipient.
        """
        self._cipher = cipher
        self.is_of_subject = len(key_segment) != POINT_BYTES
        self._segment = base64_of(key_segment)
        start = "ev:debug:" if debug else "ev:"
        version, number = ("c3cz", 4) if self.is_of_subject else ("QkTC", 1)
        self._with_metadata = {
            kind: (
                f"{start}{version}:{_type_segment(kind)}",
                bytes([debug << 7 | code << 4 | number]) + key_segment + public_key,
            )
            for kind, code in TYPES.items()
        }
        self._plain = {kind: (f"{start}Tk9D:{_type_segment(kind)}", public_key) for kind in TYPES}

    def seal(self, kind: str, value: bytes, metadata: bytes | None, iv: bytes) -> str:
        """Seals one value: as ``Tk9D`` without metadata, as ``QkTC`` with it; for a data subject as ``c3cz``.

        ``value`` is UTF-8, or the JSON literal of a number or boolean. A data subject's values have metadata. Never use
        an IV twice with one key.
        """
        start, additional_data = (self._plain if metadata is None else self._with_metadata)[kind]
        ciphertext = self._cipher.encrypt(iv, value if metadata is None else metadata + value, additional_data)
        return f"{start}{base64_of(iv)}:{self._segment}:{base64_of(ciphertext)}:$"


def _type_segment(kind: str) -> str:
    return "" if kind == "string" else f"{kind}:"


def file_header(key_segment: bytes, iv: bytes, *, debug: bool) -> bytes:
    """Returns what an encrypted file of version 3 begins with."""
    return MAGIC + b"\x03" + struct.pack("<H", FILE_HEADER_BYTES) + key_segment + iv + bytes([debug])
