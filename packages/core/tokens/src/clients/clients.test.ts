import { createCipheriv, randomBytes } from "node:crypto"
import { crc32 as zlibCrc32 } from "node:zlib"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { uncompressPublicKey } from "../crypto/curve.ts"
import { crc32 } from "../files/crc32.ts"
import { FILE_OVERHEAD_BYTES } from "../files/file-layout.ts"
import { isWholeFile } from "../files/is-whole-file.ts"
import { isEncryptedFile, parseFile } from "../files/open-file.ts"
import { parseToken } from "../format/parse-token.ts"
import { refusal } from "../testing/refused.ts"
import { createTestSubject, openOfSubject } from "../testing/subject-app.ts"
import { createTestApp, openBytes, openText } from "../testing/test-app.ts"
import type { ClientSealingKey, FileSealing } from "./client-sealing.ts"
import { nodeSealing } from "./node.ts"
import { encodeBase64 } from "./web/base64.ts"
import { GcmStream, importGcmStreamKey } from "./web/gcm-stream.ts"
import { webSealing } from "./web.ts"

const app = createTestApp()
const appPublicKey = uncompressPublicKey("prime256v1", app.prime256v1.publicKey)

/** Sizes either side of a block, and of a piece. */
const SIZES = [0, 1, 15, 16, 17, 31, 32, 98_303, 98_304, 98_305, 300_001]

describe.each([
  ["node:crypto", nodeSealing],
  ["WebCrypto", webSealing],
])("a client on %s", (_name, sealing) => {
  const keyOf = async (debug = false, now = () => 0): Promise<ClientSealingKey> =>
    (await sealing.keysFor({ appPublicKey, debug, now })).current()

  test("seals strings, numbers and booleans that open to the same text and type", async () => {
    const key = await keyOf()
    const values = [
      { type: "string", text: "" },
      { type: "string", text: "héllo wörld ✓ 🚀\u0000" },
      { type: "number", text: "12345678901234567890" },
      { type: "number", text: "-1.0e-7" },
      { type: "boolean", text: "true" },
      { type: "boolean", text: "false" },
    ] as const
    const tokens = await key.sealAll(values)
    const opened = tokens.map((token) => openText(token, app))
    expect(opened.map((one) => ({ type: one?.type, text: one?.value.toString() }))).toEqual(values)
    expect(tokens.map((token) => parseToken(token)?.version)).toEqual(values.map(() => "Tk9D"))
  })

  test.each([true, false])("binds role, time, type and environment: sandbox %s", async (debug) => {
    const key = await keyOf(debug)
    const metadata = { role: "pci", encryptedAt: 1_700_000_000 }
    const [text = "", number = ""] = await key.sealAll(
      [
        { type: "string", text: "x" },
        { type: "number", text: "7" },
      ],
      metadata,
    )
    expect(text.startsWith(debug ? "ev:debug:QkTC:" : "ev:QkTC:")).toBe(true)
    expect(openText(text, app)).toMatchObject({ type: "string", ...metadata, value: Buffer.from("x") })
    expect(openText(number, app)).toMatchObject({ type: "number", ...metadata, value: Buffer.from("7") })
    expect(() => openText(number.replace(":number:", ":"), app)).toThrow()
    expect(() =>
      openText(debug ? text.replace("debug:", "") : text.replace("ev:", "ev:debug:"), app),
    ).toThrow()
  })

  test("seals any text so that the service opens it", async () => {
    const key = await keyOf()
    const property = fc.asyncProperty(fc.string({ unit: "grapheme" }), async (text) => {
      const [token = ""] = await key.sealAll([{ type: "string", text }])
      expect(openText(token, app)?.value.toString()).toBe(text)
    })
    await fc.assert(property, { numRuns: 100 })
  })

  test.each([true, false])("seals for a data subject what opens with its key: sandbox %s", async (debug) => {
    const subjectId = randomBytes(16)
    const subject = createTestSubject({ subjectId, debug })
    const publicKey = uncompressPublicKey("prime256v1", subject.publicKey)
    const keys = await sealing.keysFor({ appPublicKey: publicKey, subjectId, debug, now: () => 0 })
    const key = await keys.current()
    const values = [
      { type: "string", text: "héllo 🚀" },
      { type: "number", text: "1.0" },
    ] as const
    const sealed = [
      ...(await key.sealAll(values)),
      ...(await key.sealAll(values, { role: "pci", encryptedAt: 7 })),
      ...(await key.sealAll(values, { role: null, encryptedAt: 7 })),
    ]
    expect(sealed[0]?.startsWith(debug ? "ev:debug:c3cz:" : "ev:c3cz:")).toBe(true)
    const opened = sealed.map((token) =>
      openOfSubject(token, new Map([[subjectId.toString("hex"), subject]])),
    )
    const plain = values.map(({ type, text }) => ({ type, value: Buffer.from(text) }))
    expect(opened).toEqual([
      ...plain.map((each) => ({ ...each, role: null, encryptedAt: null })),
      ...plain.map((each) => ({ ...each, role: "pci", encryptedAt: 7 })),
      ...plain.map((each) => ({ ...each, role: null, encryptedAt: 7 })),
    ])
    for (const token of sealed) expect(() => openText(token, app)).toThrow(refusal)
  })

  test("seals no file for a data subject, and takes no id of another length", async () => {
    const of = async (bytes: number) =>
      (
        await sealing.keysFor({ appPublicKey, subjectId: randomBytes(bytes), debug: false, now: () => 0 })
      ).current()
    const key = await of(16)
    await expect(key.sealFile(new Uint8Array(1))).rejects.toThrow(TypeError)
    await expect((async () => key.startFile())()).rejects.toThrow(TypeError)
    for (const bytes of [0, 15, 17]) await expect(of(bytes)).rejects.toThrow(TypeError)
  })

  test("seals a value of some megabytes", async () => {
    const text = "0123456789abcde✓".repeat(200_000)
    const [token = ""] = await (await keyOf()).sealAll([{ type: "string", text }])
    expect(openText(token, app)?.value.toString() === text).toBe(true)
  })

  test("never uses an IV twice in 5,000 values", async () => {
    const values = Array.from({ length: 5000 }, () => ({ type: "string", text: "x" }) as const)
    const tokens = await (await keyOf()).sealAll(values)
    expect(new Set(tokens.map((token) => parseToken(token)?.iv.toString("hex"))).size).toBe(5000)
  })

  test.each([
    ["string", "\ud800"],
    ["string", `${"x".repeat(300_000)}\udc00`],
    ["number", '1,"admin":true'],
    ["number", "NaN"],
    ["number", ""],
    ["boolean", "TRUE"],
  ] as const)("refuses what is no %s with a TypeError: case %#", async (type, text) => {
    const key = await keyOf()
    await expect(key.sealAll([{ type, text }])).rejects.toThrow(TypeError)
  })

  test.each(["", "PCI", "a".repeat(21)])("refuses the role %o with a TypeError", async (role) => {
    const key = await keyOf()
    const sealing = key.sealAll([{ type: "string", text: "x" }], { role, encryptedAt: 0 })
    await expect(sealing).rejects.toThrow(TypeError)
  })

  test.each(SIZES)("seals a file of %i bytes that opens, whole and in chunks", async (size) => {
    const key = await keyOf(true)
    const content = Uint8Array.from(randomBytes(size))
    const whole = await key.sealFile(content)
    expect(whole.length).toBe(size + FILE_OVERHEAD_BYTES)
    for (const sealed of [
      whole,
      await sealInChunks(key, content, 1000),
      await sealInChunks(key, content, 7),
    ]) {
      expect(openBytes(sealed, app).equals(content)).toBe(true)
      expect(parseFile(sealed)).toMatchObject({ version: 3, debug: true })
      expect([isEncryptedFile(sealed), isWholeFile(sealed)]).toEqual([true, true])
    }
  })

  test("starts each file with another IV", async () => {
    const key = await keyOf()
    const files: Uint8Array[] = [await key.sealFile(new Uint8Array(1)), await key.sealFile(new Uint8Array(1))]
    for (let count = 0; count < 2; count++) files.push(await sealInChunks(key, new Uint8Array(1), 1))
    expect(new Set(files.map((file) => parseFile(file).iv.toString("hex"))).size).toBe(4)
  })

  test("hands out an ephemeral key for at most a minute and 2^20 values", async () => {
    let nowMs = 1000
    const keys = await sealing.keysFor({ appPublicKey, debug: false, now: () => nowMs })
    const first = await keys.current()
    nowMs += 59_999
    expect(await keys.current(2 ** 20 - 1)).toBe(first)
    expect(await keys.current(1)).not.toBe(first)
    const second = await keys.current()
    nowMs += 60_000
    const third = await keys.current()
    expect(third).not.toBe(second)
    nowMs -= 1
    expect(await keys.current()).not.toBe(third)
  })

  test.each([
    ["compressed", () => app.prime256v1.publicKey],
    ["of another curve", () => uncompressPublicKey("secp256k1", app.secp256k1.publicKey)],
    ["not on the curve", () => Buffer.from(appPublicKey).fill(1, 40, 41)],
    [
      "the mirrored point with its prefix kept",
      () => Buffer.concat([appPublicKey.subarray(0, 64), Buffer.of((appPublicKey[64] ?? 0) ^ 1)]),
    ],
    ["zero", () => Buffer.concat([Buffer.of(4), Buffer.alloc(64)])],
    ["empty", () => Buffer.alloc(0)],
  ])("refuses an app's key that is %s with a TypeError", async (_what, key) => {
    const preparing = async () => sealing.keysFor({ appPublicKey: key(), debug: false, now: () => 0 })
    await expect(preparing()).rejects.toThrow(
      new TypeError("The app's public key is not an uncompressed point of P-256"),
    )
  })
})

async function sealInChunks(key: ClientSealingKey, content: Uint8Array, size: number): Promise<Buffer> {
  const file: FileSealing = await key.startFile()
  const parts = [file.header]
  const step = content.length > 1000 ? 999 * size : size
  for (let at = 0; at < content.length; at += step)
    parts.push(await file.update(content.subarray(at, at + step)))
  parts.push(await file.end())
  return Buffer.concat(parts)
}

test("encrypts in pieces with WebCrypto what node:crypto encrypts as a whole", async () => {
  const pieces = fc.array(fc.uint8Array({ maxLength: 70 }), { maxLength: 8 })
  const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length })
  const property = fc.asyncProperty(
    bytes(32),
    bytes(12),
    fc.uint8Array({ maxLength: 40 }),
    pieces,
    async (key, iv, data, parts) => {
      const stream = await GcmStream.start(await importGcmStreamKey(Uint8Array.from(key)), iv, data)
      const sealed: Uint8Array[] = []
      for (const part of parts) sealed.push(await stream.update(part))
      const { ciphertext, tag } = await stream.end()
      const cipher = createCipheriv("aes-256-gcm", key, iv).setAAD(data)
      const expected = [...parts.map((part) => cipher.update(part)), cipher.final(), cipher.getAuthTag()]
      expect(Buffer.concat([...sealed, ciphertext, tag]).equals(Buffer.concat(expected))).toBe(true)
    },
  )
  await fc.assert(property, { numRuns: 200 })
})

test("computes the CRC-32 of node:zlib", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), fc.uint8Array(), (first, second) => {
      expect(crc32(second, crc32(first))).toBe(zlibCrc32(Buffer.concat([first, second])))
    }),
  )
})

test.each(["with the runtime's encoder", "without"])("encodes base64 without padding, %s", (which) => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
      const encoded = Buffer.from(bytes).toString("base64").replace(/=+$/, "")
      const own = { value: which === "without" ? undefined : () => encoded }
      expect(encodeBase64(Object.defineProperty(bytes, "toBase64", own))).toBe(encoded)
    }),
  )
  const large = randomBytes(100_000)
  expect(encodeBase64(large)).toBe(large.toString("base64").replace(/=+$/, ""))
})

test("knows an encrypted file by its header and its CRC", async () => {
  const key = await (await nodeSealing.keysFor({ appPublicKey, debug: false, now: () => 0 })).current()
  const file = await key.sealFile(new Uint8Array(100))
  for (let at = 0; at < file.length; at++) {
    const changed = Uint8Array.from(file)
    changed[at] = (changed[at] ?? 0) ^ 1
    expect([isWholeFile(changed), isEncryptedFile(changed)]).toEqual([false, false])
    expect([isWholeFile(file.subarray(0, at)), isEncryptedFile(file.subarray(0, at))]).toEqual([false, false])
  }
})
