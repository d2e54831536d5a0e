import { generateKeyPairSync } from "node:crypto"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { withOpenSsl } from "../../../../../test/support/openssl.ts"
import { examineCertificate } from "./certificate-particulars.ts"
import { openingRounds, openingRoundsOfPem } from "./opening-rounds.ts"

const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
const PLAIN = privateKey.export({ format: "pem", type: "pkcs8" }).toString()
const ENCRYPTED = privateKey.export({ format: "pem", type: "pkcs8", cipher: "aes-256-cbc", passphrase: "a" })
const ONE_CALL = Buffer.from([0x02, 0x01, 0x01])
const SALT = Buffer.from([0x04, 0x02, 0xff, 0xff])

/** Encodes an element as DER, or as BER of indefinite length. */
function element(tag: number, content: Buffer, isIndefinite = false): Buffer {
  if (isIndefinite) return Buffer.concat([Buffer.from([tag, 0x80]), content, Buffer.alloc(2)])
  const length = Buffer.alloc(4)
  length.writeUInt32BE(content.length)
  return Buffer.concat([Buffer.from([tag, 0x84]), length, content])
}
const number = (value: number) => {
  const bytes = Buffer.alloc(5)
  bytes.writeUIntBE(value, 0, 5)
  return element(0x02, bytes)
}

describe("counting key-derivation rounds", () => {
  test("counts the PBKDF2 rounds of an encrypted key, and none for an unencrypted one", () => {
    expect(openingRoundsOfPem(String(ENCRYPTED))).toBe(2_048)
    expect(openingRoundsOfPem(`${PLAIN}${String(ENCRYPTED)}`)).toBe(2_048)
    expect(openingRoundsOfPem(PLAIN)).toBe(0)
  })

  test.each([
    ["behind headers", /-----\n/, "-----\nX-Note: a-b\n more\n\n"],
    ["before a line that OpenSSL passes over", /\n-----END/, "\n-a:\n-----END"],
    ["before a dash", /\n-----END/, "-:\n-----END"],
    ["in lines that end as in Windows", /\n/g, "\r\n"],
  ])("counts PEM %s too", (_, pattern, replacement) => {
    expect(openingRoundsOfPem(String(ENCRYPTED).replace(pattern, replacement))).toBe(2_048)
  })

  test("counts the contents and the MAC of a PKCS #12 file", () => {
    const pfx = withOpenSsl(({ run, read }) => {
      run(
        ...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "9"],
        ...["-subj", "/CN=a", "-keyout", "a.key", "-out", "a.crt"],
      )
      run(
        ...["pkcs12", "-export", "-inkey", "a.key", "-in", "a.crt", "-passout", "pass:a", "-iter", "3000"],
        ...["-out", "a.p12"],
      )
      return read("a.p12")
    })
    const rounds = openingRounds(pfx)
    expect(rounds).toBeGreaterThanOrEqual(6_000)
    expect(rounds).toBeLessThanOrEqual(12_000)
  })

  test("multiplies the scrypt parameters, without the key length", () => {
    const costs = [number(16_384), number(8), number(3), number(32)]
    expect(openingRounds(element(0x30, Buffer.concat([SALT, ...costs])))).toBe(16_384 * 8 * 3)
    expect(openingRounds(element(0x30, Buffer.concat([SALT, number(1_000), number(32)])))).toBe(1_000)
  })

  test("finds rounds at any nesting, in indefinite lengths and in octet strings split into parts", () => {
    const nesting = fc.array(fc.constantFrom("sequence", "context", "octets", "parts"), { maxLength: 12 })
    fc.assert(
      fc.property(nesting, fc.boolean(), fc.nat(2 ** 31), (kinds, isIndefinite, rounds) => {
        const parameters = element(0x30, Buffer.concat([SALT, number(rounds)]), isIndefinite)
        const file = kinds.reduce<Buffer>((inner, kind) => {
          if (kind === "sequence") return element(0x30, Buffer.concat([ONE_CALL, inner]), isIndefinite)
          if (kind === "context") return element(0xa0, inner, isIndefinite)
          if (kind === "octets") return element(0x04, inner)
          const middle = inner.length >> 1
          const parts = [inner.subarray(0, middle), inner.subarray(middle)].map((part) => element(0x04, part))
          return element(0x24, Buffer.concat(parts), isIndefinite)
        }, parameters)
        expect(openingRounds(file)).toBe(rounds)
      }),
    )
  })

  test("takes linear time for any bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => openingRounds(Buffer.from(bytes)) >= 0),
    )
    expect(openingRounds(Buffer.alloc(48 * 1024, Buffer.from([0x24, 0x80])))).toBe(0)
    expect(openingRounds(Buffer.alloc(48 * 1024, Buffer.from([0x30, 0x80])))).toBe(0)
  })
})

test("refuses a client certificate, without opening it, when its key would take hours to open", () => {
  const { certificate, encrypted } = withOpenSsl(({ run, read }) => {
    run(
      ...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "9"],
      ...["-subj", "/CN=a", "-keyout", "a.key", "-out", "a.crt"],
    )
    run(
      ...[
        "pkcs8",
        "-topk8",
        "-in",
        "a.key",
        "-passout",
        "pass:a",
        "-iter",
        "70000",
        "-outform",
        "DER",
        "-out",
        "a.der",
      ],
    )
    return { certificate: read("a.crt").toString(), encrypted: read("a.der") }
  })
  const pemOf = (der: Buffer) =>
    `-----BEGIN ENCRYPTED PRIVATE KEY-----\n${der
      .toString("base64")
      .match(/.{1,64}/g)
      ?.join("\n")}\n-----END ENCRYPTED PRIVATE KEY-----\n`
  const examine = (der: Buffer) =>
    examineCertificate({ format: "pem", certificate, privateKey: pemOf(der), password: "a" })
  expect(examine(encrypted)).toMatchObject({ ok: true })
  // 70,000 iterations take three bytes: 01 11 70. The largest three-byte number is 8,388,607.
  const at = encrypted.indexOf(Buffer.from([0x02, 0x03, 0x01, 0x11, 0x70]))
  encrypted.set([0x7f, 0xff, 0xff], at + 2)
  expect(examine(encrypted)).toEqual({
    ok: false,
    member: "privateKey",
    reason:
      "The file takes more than 2,000,000 rounds of key derivation to open. Export it with fewer iterations.",
  })
})
