import "reflect-metadata"
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { BasicConstraintsExtension, Extension, KeyUsageFlags, KeyUsagesExtension } from "@peculiar/x509"
import { decode, encode } from "cborg"
import fc from "fast-check"
import { beforeAll, describe, expect, test } from "vitest"
import { authority, type Issued, issue, NOT_AFTER, NOT_BEFORE, signer } from "../testing/certificates.ts"
import {
  createSimulatedNitro,
  documentOf,
  pcrsOf,
  type SimulatedNitro,
  signDocument,
  signPayload,
} from "../testing/simulated-nitro.ts"
import { InvalidAttestationError } from "./invalid-attestation-error.ts"
import { MAX_ATTESTATION_AGE_MS, MAX_ATTESTATION_BYTES } from "./limits.ts"
import { imagePcrs, matchesPcrs } from "./pcrs.ts"
import { createAttestationVerifier } from "./verify-attestation.ts"

const NOW_MS = Date.UTC(2026, 0, 31)
const MODULE_ID = "i-0123456789abcdef0-enc0123456789abcdef"
const DAY_MS = 24 * 60 * 60_000

let nitro: SimulatedNitro
beforeAll(async () => {
  nitro = await createSimulatedNitro(() => NOW_MS)
})

function verifyDocument(bytes: Uint8Array, rootFingerprint = nitro.rootFingerprint, nowMs = NOW_MS) {
  return createAttestationVerifier(rootFingerprint).verify(bytes, nowMs)
}

function expectRefused(verify: () => unknown) {
  expect(verify).toThrow(InvalidAttestationError)
}

function withOtherBit(bytes: Buffer, index: number): Buffer {
  const changed = Buffer.from(bytes)
  changed[index] = (changed[index] ?? 0) ^ (1 << (index % 8))
  return changed
}

/** A document that AWS has signed, from `vectors/`, whose README says where it was published. */
function published(name: string): Buffer {
  return Buffer.from(
    readFileSync(join(import.meta.dirname, "../../vectors", `${name}.b64`), "utf8"),
    "base64",
  )
}

describe("a document that AWS has signed", () => {
  const signedAtMs = 1_770_065_027_502
  const bytes = published("us-east-2-2026-02-02")

  test("is verified at its time, up to the pinned root", () => {
    const { moduleId, timestampMs, pcrs, nonce, publicKey } = createAttestationVerifier().verify(
      bytes,
      signedAtMs + MAX_ATTESTATION_AGE_MS,
    )
    expect({ moduleId, timestampMs, pcrs }).toEqual({
      moduleId: "i-0340e0cb833504eb6-enc019c12d31f78864d",
      timestampMs: signedAtMs,
      pcrs: {
        pcr0: "9baef83909784e4d2cb84466c02931bb8125e948b62029029e80bfa1698bfd7069408e4ab20d1c99c859e8f774cce0ff",
        pcr1: "4b4d5b3661b3efc12920900c80e126e4ce783c522de6c02a2a5bf7af3a2b9327b86776f188e4be1c1c404a129dbda493",
        pcr2: "769925c8ae0c5c2d1aa86de149213b1c5dec642557bf0c426c6581f0e562a042d1c7d2578443515d103f74ce55337666",
      },
    })
    expect(Buffer.from(nonce ?? []).toString("hex")).toBe("0123456789abcdef0123456789abcdef01234567")
    expect(Buffer.from(publicKey ?? []).toString()).toBe("dummy")
  })

  test("is refused once it is more than five minutes old, or from the future", () => {
    const verifier = createAttestationVerifier()
    expect(verifier.verify(bytes, signedAtMs - 60_000).timestampMs).toBe(signedAtMs)
    expectRefused(() => verifier.verify(bytes, signedAtMs + MAX_ATTESTATION_AGE_MS + 1))
    expectRefused(() => verifier.verify(bytes, signedAtMs - 60_001))
    expectRefused(() => verifier.verify(bytes, Number.NaN))
  })

  test("is refused when a byte is another, sampled across all of it", () => {
    const verifier = createAttestationVerifier()
    verifier.verify(bytes, signedAtMs)
    for (let index = 0; index < bytes.length; index += 101) {
      expectRefused(() => verifier.verify(withOtherBit(bytes, index), signedAtMs))
    }
  })

  test("is refused in debug mode, which measures nothing", () => {
    const debugged = published("us-east-1-2024-12-20-debug")
    expectRefused(() => createAttestationVerifier().verify(debugged, 1_734_653_634_557))
  })
})

describe("a document", () => {
  const attest = (fields: Readonly<Record<string, unknown>> = {}) => nitro.attest({}, fields)

  test("gives what the enclave has put in", () => {
    const given = {
      publicKey: Buffer.from("key"),
      userData: Buffer.from("data"),
      nonce: Buffer.from("nonce"),
    }
    const { publicKey, userData, nonce } = verifyDocument(nitro.attest(given))
    expect([publicKey, userData, nonce].map((each) => Buffer.from(each ?? []))).toEqual(Object.values(given))
  })

  test("has an id that stays the same when its signature is written in the other valid way", () => {
    const bytes = attest()
    const order =
      0xffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77aecec196accc52973n
    const s = BigInt(`0x${bytes.subarray(-48).toString("hex")}`)
    const other = Buffer.from((order - s).toString(16).padStart(96, "0"), "hex")
    const rewritten = Buffer.concat([bytes.subarray(0, -48), other])
    expect(rewritten.equals(bytes)).toBe(false)
    expect(verifyDocument(rewritten).id).toBe(verifyDocument(bytes).id)
  })

  test("is verified again from what is known of its certificates, and not after they have expired", () => {
    const verifier = createAttestationVerifier(nitro.rootFingerprint)
    verifier.verify(attest(), NOW_MS)
    verifier.verify(attest({ timestamp: NOW_MS + DAY_MS }), NOW_MS + DAY_MS)
    const expired = NOT_AFTER.getTime() + 1_000
    expectRefused(() => verifier.verify(attest({ timestamp: expired }), expired))
  })

  test.each<[string, Readonly<Record<string, unknown>>]>([
    ["no module", { module_id: "" }],
    ["a module whose name is too long", { module_id: "i".repeat(201) }],
    ["another digest", { digest: "SHA256" }],
    ["no time", { timestamp: 0 }],
    ["a time that is no integer", { timestamp: 1.5 }],
    ["no PCRs", { pcrs: new Map() }],
    ["PCRs by name", { pcrs: { pcr0: new Uint8Array(48) } }],
    ["a PCR of another digest", { pcrs: new Map([...pcrsOf(1), [3, new Uint8Array(32)]]) }],
    ["a PCR between two others", { pcrs: new Map([...pcrsOf(1), [1.5, new Uint8Array(48)]]) }],
    ["a PCR before the first", { pcrs: new Map([...pcrsOf(1), [-1, new Uint8Array(48)]]) }],
    ["a PCR that no module has", { pcrs: new Map([...pcrsOf(1), [32, new Uint8Array(48)]]) }],
    ["PCR0 of zeros", { pcrs: new Map([...pcrsOf(1), [0, new Uint8Array(48)]]) }],
    ["PCR2 missing", { pcrs: new Map([...pcrsOf(1)].filter(([index]) => index !== 2)) }],
    [
      "more PCRs than a module has",
      { pcrs: new Map(Array.from({ length: 33 }, (_, i) => [i, new Uint8Array(48)])) },
    ],
    ["no certificate", { certificate: null }],
    ["no authorities", { cabundle: [] }],
    ["too many authorities", { cabundle: Array.from({ length: 9 }, () => new Uint8Array(1)) }],
    ["an empty key", { public_key: new Uint8Array() }],
    ["a key that is too large", { public_key: new Uint8Array(1_025) }],
    ["user data that is text", { user_data: "text" }],
    ["user data that is too large", { user_data: new Uint8Array(513) }],
    ["a nonce that is too large", { nonce: new Uint8Array(513) }],
  ])("is refused with %s", (_name, fields) => {
    expectRefused(() => verifyDocument(attest(fields)))
  })

  test("is accepted with as many PCRs as any module has, and with empty user data and nonce", () => {
    const pcrs = new Map([...Array(32).keys()].map((index) => [index, new Uint8Array(48).fill(index + 1)]))
    const {
      pcrs: found,
      userData,
      nonce,
    } = verifyDocument(attest({ pcrs, user_data: new Uint8Array(), nonce: new Uint8Array() }))
    expect(Object.keys(found)).toEqual(["pcr0", "pcr1", "pcr2", "pcr8"])
    expect([userData?.length, nonce?.length]).toEqual([0, 0])
  })

  test("is refused when it is larger than any answer of a module, whatever more it says", () => {
    const sizeOf = (bytes: number) => attest({ more: new Uint8Array(bytes) })
    const room = MAX_ATTESTATION_BYTES - sizeOf(256).length + 256
    expect(sizeOf(room)).toHaveLength(MAX_ATTESTATION_BYTES)
    expect(verifyDocument(sizeOf(room)).moduleId).toBe(MODULE_ID)
    expectRefused(() => verifyDocument(sizeOf(room + 1)))
  })

  test("is accepted with the longest name of a module", () => {
    const module_id = "i".repeat(200)
    expect(verifyDocument(attest({ module_id })).moduleId).toBe(module_id)
  })

  test("is accepted with keys and user data of the largest size", () => {
    const sizes = { public_key: 1_024, user_data: 512, nonce: 512 }
    const fields = Object.entries(sizes).map(([name, size]) => [name, new Uint8Array(size)] as const)
    expect(verifyDocument(attest(Object.fromEntries(fields))).publicKey?.length).toBe(1_024)
  })

  test("is refused when its message is spelled in another way", () => {
    const bytes = attest()
    const [header, unprotected, payload, signature] = decode(bytes, { useMaps: true })
    const indefinite = Buffer.concat([Buffer.of(0x9f), bytes.subarray(1), Buffer.of(0xff)])
    const longer = Buffer.concat([Buffer.of(0x98, 0x04), bytes.subarray(1)])
    const spellings = [
      indefinite,
      longer,
      Buffer.concat([bytes, Buffer.of(0)]),
      Buffer.concat([Buffer.of(0xd2), bytes]),
      bytes.subarray(0, -1),
      encode([header, new Map([[4, 1]]), payload, signature]),
      encode([header, unprotected, payload]),
      encode([header, unprotected, payload, signature, null]),
      encode([header, unprotected, payload, new Uint8Array([...signature, 0])]),
      encode([...payload]),
      Buffer.concat([bytes, Buffer.alloc(MAX_ATTESTATION_BYTES)]),
      Buffer.alloc(0),
    ]
    for (const spelling of spellings) expectRefused(() => verifyDocument(spelling))
  })

  test("is refused when a field occurs twice, or bytes follow it", () => {
    const key = nitro.chain.at(-1)?.privateKey
    if (key === undefined) throw new Error("The chain is empty")
    const fields = { ...documentOf(nitro.chain, {}), timestamp: NOW_MS, pcrs: pcrsOf(1) }
    const payload = Buffer.from(encode(fields))
    const size = Object.keys(fields).length
    const again = Buffer.concat([
      Buffer.of(0xa0 + size + 1),
      payload.subarray(1),
      encode("nonce"),
      encode(null),
    ])
    expect(payload[0]).toBe(0xa0 + size)
    expect(verifyDocument(signPayload(payload, key)).moduleId).toBe(MODULE_ID)
    expectRefused(() => verifyDocument(signPayload(again, key)))
    expectRefused(() => verifyDocument(signPayload(Buffer.concat([payload, Buffer.of(0)]), key)))
    // The map in it may have an indefinite length: newer modules write it so.
    const open = Buffer.concat([Buffer.of(0xbf), payload.subarray(1), Buffer.of(0xff)])
    expect(verifyDocument(signPayload(open, key)).moduleId).toBe(MODULE_ID)
  })

  test("is refused when its header names another algorithm, or more", () => {
    const key = nitro.chain.at(-1)?.privateKey
    if (key === undefined) throw new Error("The chain is empty")
    const payload = encode({ ...documentOf(nitro.chain, {}), timestamp: NOW_MS, pcrs: pcrsOf(1) })
    const es256 = new Map([[1, -7]])
    const critical = new Map<number, unknown>([
      [1, -35],
      [2, [1]],
    ])
    for (const header of [es256, critical, new Map(), "ES384"]) {
      expectRefused(() => verifyDocument(signPayload(payload, key, encode(header))))
    }
  })

  test("is refused when it nests as deep as its size allows", () => {
    expectRefused(() => verifyDocument(Buffer.alloc(MAX_ATTESTATION_BYTES, 0x81)))
    const key = nitro.chain.at(-1)?.privateKey
    if (key === undefined) throw new Error("The chain is empty")
    expectRefused(() => verifyDocument(signPayload(Buffer.alloc(MAX_ATTESTATION_BYTES - 200, 0x81), key)))
  })

  test("is refused, and nothing else, whatever the bytes are", () => {
    const verifier = createAttestationVerifier(nitro.rootFingerprint)
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        expectRefused(() => verifier.verify(bytes, NOW_MS))
      }),
    )
  })
})

describe("a chain of certificates", () => {
  /** Verifies a document with a chain; without one of these, it is that of `nitro`. */
  function verifyChain(chain: readonly Issued[]) {
    const [root, last] = [chain[0], chain.at(-1)]
    if (root === undefined || last === undefined) throw new Error("The chain is empty")
    const fields = { ...documentOf(chain, {}), timestamp: NOW_MS, pcrs: pcrsOf(1) }
    const fingerprint = createHash("sha256").update(root.der).digest("hex")
    return verifyDocument(signDocument(fields, last.privateKey), fingerprint)
  }
  const rootOf = (extensions = authority()) => issue(null, { name: "root", extensions })

  test("is accepted with the fewest certificates, and as many as path lengths allow", async () => {
    const root = await rootOf(authority(1))
    const middle = await issue(root, { name: "middle", extensions: authority(0) })
    const direct = await issue(root, { name: "enclave", extensions: signer() })
    const below = await issue(middle, { name: "enclave", extensions: signer() })
    expect(verifyChain([root, direct]).moduleId).toBeTruthy()
    expect(verifyChain([root, middle, below]).moduleId).toBeTruthy()
  })

  test("is refused under another root", async () => {
    const other = await createSimulatedNitro(() => NOW_MS)
    expectRefused(() => verifyDocument(other.attest({})))
    expectRefused(() => createAttestationVerifier().verify(nitro.attest({}), NOW_MS))
  })

  test("is accepted with eight authorities, and refused with nine", async () => {
    let last = await rootOf()
    const authorities = [last]
    const chain = async () => [...authorities, await issue(last, { name: "enclave", extensions: signer() })]
    const add = async () => {
      last = await issue(last, { name: `authority ${authorities.length}`, extensions: authority() })
      authorities.push(last)
    }
    while (authorities.length < 8) await add()
    expect(verifyChain(await chain()).moduleId).toBe(MODULE_ID)
    await add()
    const longer = await chain()
    expectRefused(() => verifyChain(longer))
  })

  test("is refused when it is longer than an authority's path length", async () => {
    const root = await rootOf(authority(0))
    const middle = await issue(root, { name: "middle", extensions: authority() })
    const enclave = await issue(middle, { name: "enclave", extensions: signer() })
    expectRefused(() => verifyChain([root, middle, enclave]))
  })

  test("is refused when certificates are swapped, left out or repeated", () => {
    const [root, region, instance, enclave] = nitro.chain
    if (root === undefined || region === undefined || instance === undefined || enclave === undefined) {
      throw new Error("The chain is shorter")
    }
    expect(verifyChain([root, region, instance, enclave]).moduleId).toBeTruthy()
    for (const chain of [
      [root, instance, region, enclave],
      [root, region, enclave],
      [root, region, region, instance, enclave],
      [region, root, instance, enclave],
      [root, enclave, instance],
      [root],
    ]) {
      expectRefused(() => verifyChain(chain))
    }
  })

  test("is refused, like all of the document, when any of its bytes is another", async () => {
    const root = await rootOf()
    const chain = [root, await issue(root, { name: "enclave", extensions: signer() })]
    const fields = { ...documentOf(chain, {}), timestamp: NOW_MS, pcrs: pcrsOf(1) }
    const key = chain[1]?.privateKey
    if (key === undefined) throw new Error("The chain is shorter")
    const bytes = signDocument(fields, key)
    const verifier = createAttestationVerifier(createHash("sha256").update(root.der).digest("hex"))
    verifier.verify(bytes, NOW_MS)
    for (const [index] of bytes.entries()) {
      expectRefused(() => verifier.verify(withOtherBit(bytes, index), NOW_MS))
    }
  })

  test("is refused when a certificate is spelled in another way, or bytes follow in it", () => {
    const [root, region, instance, enclave] = nitro.chain
    if (root === undefined || region === undefined || instance === undefined || enclave === undefined) {
      throw new Error("The chain is shorter")
    }
    const content = Buffer.from(instance.der.subarray(4))
    const sequence = (length: readonly number[], ...parts: readonly Buffer[]) =>
      Buffer.concat([Buffer.of(0x30, ...length), ...parts])
    const bytesOf = (length: number) => [length >> 8, length & 0xff]
    const spellings = [
      Buffer.concat([instance.der, Buffer.of(5, 0)]),
      sequence([0x83, 0, ...bytesOf(content.length)], content),
      sequence([0x80], content, Buffer.of(0, 0)),
      sequence([0x82, ...bytesOf(content.length + 2)], content, Buffer.of(5, 0)),
    ]
    expect(sequence([0x82, ...bytesOf(content.length)], content).equals(instance.der)).toBe(true)
    for (const der of spellings) {
      expectRefused(() => verifyChain([root, region, { ...instance, der }, enclave]))
    }
  })

  test.each<[string, Partial<Parameters<typeof issue>[1]>]>([
    ["an authority that may not sign certificates", { extensions: signer() }],
    ["an authority without extensions", { extensions: [] }],
    ["an authority without key usages", { extensions: [new BasicConstraintsExtension(true, 0, true)] }],
    [
      "an extension that is critical and not known",
      { extensions: [...authority(0), new Extension("1.2.3.4", true, new Uint8Array([5, 0]))] },
    ],
    ["an extension twice", { extensions: [...authority(0), ...authority(0)] }],
    ["an authority that has expired", { notAfter: new Date(NOW_MS - 1_000) }],
    ["an authority that is not valid yet", { notBefore: new Date(NOW_MS + 1_000) }],
    ["an issuer of another name", { issuerName: "somebody" }],
    ["a key on another curve", { curve: "P-256" }],
    ["a signature with another digest", { hash: "SHA-256" }],
  ])("is refused with %s", async (_name, wanted) => {
    const root = await rootOf()
    const middle = await issue(root, { name: "middle", extensions: authority(0), ...wanted })
    const enclave = await issue(middle, { name: "enclave", extensions: signer() })
    expectRefused(() => verifyChain([root, middle, enclave]))
  })

  test("is refused when the enclave's certificate could issue others, or may not sign", async () => {
    const root = await rootOf()
    const isAuthority = await issue(root, {
      name: "enclave",
      extensions: [
        new BasicConstraintsExtension(true, undefined, true),
        // It may sign documents, too: only that it is an authority is wrong.
        new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.digitalSignature, true),
      ],
    })
    const cannotSign = await issue(root, {
      name: "enclave",
      extensions: [new BasicConstraintsExtension(false, undefined, true)],
    })
    expectRefused(() => verifyChain([root, isAuthority]))
    expectRefused(() => verifyChain([root, cannotSign]))
  })

  test("is accepted on the first and the last second of its certificates", async () => {
    for (const [timestamp, isValid] of [
      [NOT_BEFORE.getTime(), true],
      [NOT_BEFORE.getTime() - 1, false],
      [NOT_AFTER.getTime(), true],
      [NOT_AFTER.getTime() + 1, false],
    ] as const) {
      const verify = () => verifyDocument(nitro.attest({}, { timestamp }), nitro.rootFingerprint, timestamp)
      if (isValid) expect(verify().timestampMs).toBe(timestamp)
      else expectRefused(verify)
    }
  })
})

describe("PCRs", () => {
  const measured = imagePcrs(pcrsOf(0xab))

  test("are those of the image, in lower-case hexadecimal, without those that measure nothing", () => {
    expect(measured).toEqual({ pcr0: "ab".repeat(48), pcr1: "ac".repeat(48), pcr2: "ad".repeat(48) })
  })

  test("match when all that are expected are equal, in any letter case", () => {
    expect(matchesPcrs(measured, { pcr0: "AB".repeat(48) })).toBe(true)
    expect(matchesPcrs(measured, { pcr0: "ab".repeat(48), pcr2: "ad".repeat(48) })).toBe(true)
    expect(matchesPcrs(measured, { pcr0: "ab".repeat(48), pcr2: "ab".repeat(48) })).toBe(false)
    expect(matchesPcrs(measured, { pcr0: "ab".repeat(47) })).toBe(false)
  })

  test("match nothing when none is expected, or zeros are", () => {
    expect(matchesPcrs(measured, {})).toBe(false)
    expect(matchesPcrs(measured, { pcr8: "0".repeat(96) })).toBe(false)
    expect(matchesPcrs({}, { pcr0: "" })).toBe(false)
  })
})
