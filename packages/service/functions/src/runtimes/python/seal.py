"""Seals values as `ev:` tokens (Tk9D, and QkTC with a data role), to an app's public key.

Runs in the customer's Lambda and needs no package. Python's standard library has no AES-GCM and no ECDH, but its ssl
module is linked with OpenSSL's libcrypto, which has both, fast and in constant time; ctypes calls that very copy. The
functions used exist since OpenSSL 1.1.1 and are not deprecated in 3.x. packages/core/tokens opens what this makes.
"""

import base64
import ctypes
import decimal
import hashlib
import math
import os
import re
import struct

_TYPE_NUMBERS = {"string": 0, "number": 1, "boolean": 2}
_ROLE_SLUG = re.compile(r"[a-z0-9-]{1,20}")
_TOKEN = re.compile(
    r"ev:(?:debug:)?(?:Tk9D|QkTC|RFVC|S0lS):(?:(?:string|number|boolean):)?"
    r"[A-Za-z0-9+/]{16}:[A-Za-z0-9+/]{44}:[A-Za-z0-9+/]{22,}:\$"
)
_MAX_DEPTH = 100

# `eo` in the metadata: the origin that Sealway writes.
_ORIGIN = 83

# The prefix of the 65-byte point: SubjectPublicKeyInfo naming P-256.
_NAMED_CURVE_PREFIX = bytes.fromhex("3059301306072a8648ce3d020106082a8648ce3d030107034200")

# What X9.63 hashes between the secret and the point: counter 1, and the SubjectPublicKeyInfo spelling out P-256.
_KDF_INFIX = bytes.fromhex(
    "00000001"
    "3082014b3082010306072a8648ce3d02013081f7020101"
    "302c06072a8648ce3d0101022100ffffffff00000001000000000000000000000000ffffffffffffffffffffffff"
    "305b0420ffffffff00000001000000000000000000000000fffffffffffffffffffffffc"
    "04205ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604b"
    "031500c49d360886e704936a6678e1139d26b7819f7e90"
    "0441046b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296"
    "4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5"
    "022100ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551"
    "020101"
    "034200"
)


def create_encrypt(public_key, epoch_seconds):
    """Makes `encrypt(value, role=None)` for one run: its values share one ephemeral key, each with a fresh random IV.

    Strings, ints, finite floats and Decimals, and booleans become tokens. Dicts, lists and tuples keep their shape;
    None and tokens stay unchanged, as at POST /encrypt.
    """
    key = None

    def encrypt(value, role=None):
        nonlocal key
        if role is not None and not (isinstance(role, str) and _ROLE_SLUG.fullmatch(role)):
            raise TypeError("The role is not a data role's slug: 1 to 20 characters from a-z, 0-9 and -")
        if key is None:
            key = _create_key(base64.b64decode(public_key["ecdhP256KeyUncompressed"]))
        metadata = b"" if role is None else _encode_metadata(role, epoch_seconds())
        debug = public_key["debug"] is True
        return _encrypt_tree(value, 0, lambda type, text: _seal(key, debug, type, text, metadata))

    return encrypt


def _encrypt_tree(value, depth, seal_one):
    if depth > _MAX_DEPTH:
        raise TypeError("The value is nested deeper than 100 levels")
    if value is None:
        return None
    if isinstance(value, str):
        return value if _TOKEN.fullmatch(value) else seal_one("string", _utf8(value))
    if isinstance(value, bool):
        return seal_one("boolean", b"true" if value else b"false")
    if isinstance(value, int):
        return seal_one("number", _digits(value))
    if isinstance(value, float):
        if not math.isfinite(value):
            raise TypeError("NaN and infinite numbers cannot be encrypted")
        return seal_one("number", float.__repr__(value).encode())
    if isinstance(value, decimal.Decimal):
        if not value.is_finite():
            raise TypeError("NaN and infinite numbers cannot be encrypted")
        return seal_one("number", decimal.Decimal.__str__(value).encode())
    if isinstance(value, (list, tuple)):
        return [_encrypt_tree(item, depth + 1, seal_one) for item in value]
    if isinstance(value, dict) and all(isinstance(name, str) for name in value):
        return {name: _encrypt_tree(member, depth + 1, seal_one) for name, member in value.items()}
    raise TypeError("Only strings, numbers, booleans, and dicts and lists of them can be encrypted")


def _utf8(text):
    try:
        return text.encode()
    except UnicodeEncodeError:
        # The original error quotes the text.
        raise TypeError("A string with a lone surrogate cannot be encrypted") from None


def _digits(number):
    # Not str(): it refuses numbers of more than 4,300 digits.
    return format(decimal.Decimal(number), "f").encode()


def _compress(point):
    return bytes([2 | (point[64] & 1)]) + point[1:33]


def _create_key(app_point):
    if len(app_point) != 65 or app_point[0] != 4:
        raise ValueError("The app's public key is not an uncompressed point of P-256")
    point, secret = _agree(_NAMED_CURVE_PREFIX + app_point)
    content = hashlib.sha256(secret + _KDF_INFIX + point).digest()
    return content, _compress(point), _compress(app_point)


def _seal(key, debug, type, text, metadata):
    content, ephemeral, app = key
    configuration = (0x80 if debug else 0) | (_TYPE_NUMBERS[type] << 4) | 1
    iv = os.urandom(12)
    additional_data = bytes([configuration]) + ephemeral + app if metadata else app
    sealed = _aes_256_gcm(content, iv, additional_data, metadata + text)
    segments = ["ev"] + (["debug"] if debug else []) + ["QkTC" if metadata else "Tk9D"]
    if type != "string":
        segments.append(type)
    return ":".join([*segments, _unpadded(iv), _unpadded(ephemeral), _unpadded(sealed), "$"])


def _encode_metadata(role, epoch_seconds):
    """Returns its length (uint16, little-endian), then a MessagePack map of `dr`, `eo` and `et` (uint32)."""
    entries = b"\x83\xa2dr" + bytes([0xA0 | len(role)]) + role.encode()
    entries += b"\xa2eo" + bytes([_ORIGIN]) + b"\xa2et\xce" + struct.pack(">I", epoch_seconds)
    return struct.pack("<H", len(entries)) + entries


def _unpadded(data):
    return base64.b64encode(data).rstrip(b"=").decode()


_library = None


def _libcrypto():
    global _library
    if _library is None:
        _library = _declare(_load_libcrypto())
    return _library


def _load_libcrypto():
    """Loads the copy that the ssl module is linked with: a symbol is looked up in a library's dependencies too."""
    try:
        import _ssl

        module = getattr(_ssl, "__file__", None)
    except ImportError:
        module = None
    candidates = [module] if module else []
    candidates.append(None)  # linked into the interpreter itself
    if module:  # Windows looks up symbols in the library alone, and keeps libcrypto beside the module
        folder = os.path.dirname(module)
        candidates += [os.path.join(folder, name) for name in ("libcrypto-3.dll", "libcrypto-3-x64.dll")]
    candidates += ["libcrypto.so.3", "libcrypto.so.1.1"]
    for candidate in candidates:
        try:
            library = ctypes.CDLL(candidate)
            if hasattr(library, "EVP_PKEY_derive") and hasattr(library, "EVP_aes_256_gcm"):
                return library
        except (OSError, TypeError):
            continue
    raise RuntimeError("context.encrypt needs a Python with OpenSSL (the ssl module), which this one lacks")


def _declare(library):
    """Sets the types: without them ctypes would pass pointers and lengths as 32-bit ints."""
    pointer, size, integer, data = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_char_p
    out = ctypes.POINTER
    signatures = {
        "d2i_PUBKEY": (pointer, [pointer, out(data), ctypes.c_long]),
        "i2d_PUBKEY": (integer, [pointer, out(data)]),
        "EVP_PKEY_free": (None, [pointer]),
        "EVP_PKEY_CTX_new": (pointer, [pointer, pointer]),
        "EVP_PKEY_CTX_free": (None, [pointer]),
        "EVP_PKEY_keygen_init": (integer, [pointer]),
        "EVP_PKEY_keygen": (integer, [pointer, out(pointer)]),
        "EVP_PKEY_derive_init": (integer, [pointer]),
        "EVP_PKEY_derive_set_peer": (integer, [pointer, pointer]),
        "EVP_PKEY_derive": (integer, [pointer, data, out(size)]),
        "EVP_CIPHER_CTX_new": (pointer, []),
        "EVP_CIPHER_CTX_free": (None, [pointer]),
        "EVP_CIPHER_CTX_ctrl": (integer, [pointer, integer, integer, pointer]),
        "EVP_aes_256_gcm": (pointer, []),
        "EVP_EncryptInit_ex": (integer, [pointer, pointer, pointer, data, data]),
        "EVP_EncryptUpdate": (integer, [pointer, data, out(integer), data, integer]),
        "EVP_EncryptFinal_ex": (integer, [pointer, data, out(integer)]),
    }
    for name, (result, arguments) in signatures.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library


def _check(result):
    if not result or (isinstance(result, int) and result < 0):
        raise RuntimeError("OpenSSL could not encrypt the value")
    return result


def _agree(app_spki):
    """Creates a key pair on P-256: returns its point (65 bytes), and its ECDH secret (32 bytes) with the app's key."""
    lib = _libcrypto()
    source = ctypes.c_char_p(app_spki)
    # d2i refuses a point that is not on the curve.
    app = _check(lib.d2i_PUBKEY(None, ctypes.byref(source), len(app_spki)))
    own = ctypes.c_void_p()
    generator = derivation = None
    try:
        generator = _check(lib.EVP_PKEY_CTX_new(app, None))  # the app's key lends the curve
        _check(lib.EVP_PKEY_keygen_init(generator))
        _check(lib.EVP_PKEY_keygen(generator, ctypes.byref(own)))
        encoded = ctypes.create_string_buffer(256)
        end = ctypes.cast(encoded, ctypes.c_char_p)
        length = _check(lib.i2d_PUBKEY(own, ctypes.byref(end)))
        derivation = _check(lib.EVP_PKEY_CTX_new(own, None))
        _check(lib.EVP_PKEY_derive_init(derivation))
        _check(lib.EVP_PKEY_derive_set_peer(derivation, app))
        secret, secret_length = ctypes.create_string_buffer(32), ctypes.c_size_t(32)
        _check(lib.EVP_PKEY_derive(derivation, secret, ctypes.byref(secret_length)))
        point = encoded.raw[length - 65 : length]
        if point[0] != 4 or secret_length.value != 32:
            raise RuntimeError("OpenSSL could not encrypt the value")
        return point, secret.raw
    finally:
        # Freeing null is allowed.
        lib.EVP_PKEY_CTX_free(derivation)
        lib.EVP_PKEY_CTX_free(generator)
        lib.EVP_PKEY_free(own)
        lib.EVP_PKEY_free(app)


_EVP_CTRL_AEAD_GET_TAG = 0x10


def _aes_256_gcm(key, iv, additional_data, plaintext):
    """Returns the ciphertext and the 16-byte tag. The IV's default length is the 12 bytes used."""
    lib = _libcrypto()
    context = _check(lib.EVP_CIPHER_CTX_new())
    try:
        _check(lib.EVP_EncryptInit_ex(context, lib.EVP_aes_256_gcm(), None, key, iv))
        written = ctypes.c_int()
        _check(lib.EVP_EncryptUpdate(context, None, ctypes.byref(written), additional_data, len(additional_data)))
        ciphertext = ctypes.create_string_buffer(len(plaintext) + 16)
        _check(lib.EVP_EncryptUpdate(context, ciphertext, ctypes.byref(written), plaintext, len(plaintext)))
        length = written.value
        _check(lib.EVP_EncryptFinal_ex(context, ctypes.create_string_buffer(16), ctypes.byref(written)))
        tag = ctypes.create_string_buffer(16)
        _check(lib.EVP_CIPHER_CTX_ctrl(context, _EVP_CTRL_AEAD_GET_TAG, 16, tag))
        return ciphertext.raw[:length] + tag.raw
    finally:
        lib.EVP_CIPHER_CTX_free(context)
