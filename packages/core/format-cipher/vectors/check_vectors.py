#!/usr/bin/env python3
"""Encrypts and decrypts the vectors of format tokens by docs/formats.md alone, with nothing of Sealway's.

Needs Python 3.9 and `cryptography` (pip install cryptography). Prints how many vectors agreed; ends with status 1 if one
of them did not.
"""

import datetime
import json
import math
import pathlib
import re
import sys

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

VECTORS = pathlib.Path(__file__).parent / "tokens.json"
HEX = "0123456789abcdef"
DIGITS = "0123456789"
ALPHANUMERIC = DIGITS + "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
FIRST_DAY = datetime.date(1000, 1, 1).toordinal()
DAYS = datetime.date(9999, 12, 31).toordinal() - FIRST_DAY + 1


def ff1(key, radix, tweak, numerals, decrypts):
    """NIST SP 800-38G Rev. 1, algorithms 7 and 8, step by step."""
    encryptor = Cipher(algorithms.AES(key), modes.ECB()).encryptor()

    def number(digits):
        value = 0
        for digit in digits:
            value = value * radix + digit
        return value

    def digits_of(value, length):
        digits = []
        for _ in range(length):
            value, digit = divmod(value, radix)
            digits.insert(0, digit)
        return digits

    n, t = len(numerals), len(tweak)
    u, v = n // 2, n - n // 2
    a, b = numerals[:u], numerals[u:]
    size = ((radix**v - 1).bit_length() + 7) // 8
    d = 4 * ((size + 3) // 4) + 4
    p = bytes([1, 2, 1]) + radix.to_bytes(3, "big") + bytes([10, u % 256]) + n.to_bytes(4, "big") + t.to_bytes(4, "big")
    for i in reversed(range(10)) if decrypts else range(10):
        half = a if decrypts else b
        q = tweak + bytes(-(t + size + 1) % 16) + bytes([i]) + number(half).to_bytes(size, "big")
        r = bytes(16)
        for at in range(0, len(p + q), 16):
            r = encryptor.update(bytes(x ^ y for x, y in zip(r, (p + q)[at : at + 16])))
        s = r
        for j in range(1, math.ceil(d / 16)):
            s += encryptor.update(bytes(x ^ y for x, y in zip(r, j.to_bytes(16, "big"))))
        y = int.from_bytes(s[:d], "big")
        m = u if i % 2 == 0 else v
        if decrypts:
            a, b = digits_of((number(b) - y) % radix**m, m), a
        else:
            a, b = b, digits_of((number(a) + y) % radix**m, m)
    return a + b


def luhn(digits):
    total = 0
    for place, digit in enumerate(reversed(digits)):
        doubled = digit * (1 + place % 2)
        total += doubled - 9 if doubled > 9 else doubled
    return total % 10


def with_residue(digits, place, residue):
    for digit in range(10):
        changed = digits[:place] + [digit] + digits[place + 1 :]
        if luhn(changed) == residue:
            return changed
    raise AssertionError


def iban_check(country, account):
    return "%02d" % (98 - int("".join(str(int(c, 36)) for c in account + country + "00")) % 97)


def permute(key, tweak, kept, radix, numerals, decrypts, accepts=lambda numerals: True):
    kept = kept.encode()
    whole = len(kept).to_bytes(2, "big") + bytes([len(tweak)]) + kept + tweak
    whole += bytes(-len(whole) % 16)
    while True:
        numerals = ff1(key, radix, whole, numerals, decrypts)
        if accepts(numerals):
            return numerals


def characters(key, tweak, text, decrypts, alphabet, first=0, last=0, luhn_rule="any", kept=None):
    places = [place for place, character in enumerate(text) if character in alphabet]
    numbers = [alphabet.index(text[place]) for place in places]
    end = len(numbers) - last
    if kept is None:
        kept = "".join(text[place] for place in places[:first] + places[end:])
    radix = len(alphabet)
    free = numbers[first:end]

    def put(changed):
        return numbers[:first] + changed + numbers[first + len(changed) :]

    if luhn_rule == "any":
        numbers = put(permute(key, tweak, kept, radix, free, decrypts))
    else:
        changed = permute(key, tweak, kept, radix, free[:-1], decrypts)
        numbers = with_residue(put(changed), end - 1, 1 if luhn_rule == "break" and not decrypts else 0)
    written = list(text)
    for place, value in zip(places, numbers):
        written[place] = alphabet[value]
    return "".join(written)


def transform(form, key, tweak, text, decrypts):
    kind = form["kind"]
    if kind == "characters":
        keep = form["keep"]
        return characters(key, tweak, text, decrypts, form["alphabet"], keep["first"], keep["last"], form["luhn"])
    if kind == "email":
        local, at, domain = text.rpartition("@")
        return characters(key, tweak, local, decrypts, ALPHANUMERIC, kept=at + domain) + at + domain
    if kind == "uuid":
        version, variant = text[14], text[19]
        rest = characters(key, tweak, text[:14] + " " + text[15:19] + " " + text[20:], decrypts, HEX, kept=version + variant)
        return rest[:14] + version + rest[15:19] + variant + rest[20:]
    if kind == "iban":
        country, account = text[:2], text[4:]
        account = characters(key, tweak, account, decrypts, DIGITS, kept=country + re.sub("[0-9]", "0", account))
        return country + iban_check(country, account) + account
    radix = math.isqrt(DAYS - 1) + 1
    day = datetime.date.fromisoformat(text).toordinal() - FIRST_DAY
    high, low = permute(key, tweak, "", radix, list(divmod(day, radix)), decrypts, lambda n: n[0] * radix + n[1] < DAYS)
    return datetime.date.fromordinal(FIRST_DAY + high * radix + low).isoformat()


def main():
    data = json.loads(VECTORS.read_text())
    agreed = 0
    for vector in data["vectors"]:
        info = b"format\0" + vector["formatId"].encode() + b"\0" + str(vector["version"]).encode()
        key = HKDF(hashes.SHA256(), 32, None, info).derive(bytes.fromhex(data["valueKey"]))
        tweak = bytes.fromhex(vector["tweak"])
        token = transform(vector["format"], key, tweak, vector["value"], False)
        value = transform(vector["format"], key, tweak, vector["token"], True)
        if (token, value) == (vector["token"], vector["value"]):
            agreed += 1
        else:
            print(f"differs: {vector['value']} -> {token}, {vector['token']} -> {value}", file=sys.stderr)
    print(f"{agreed} agreed")
    sys.exit(agreed != len(data["vectors"]))


main()
