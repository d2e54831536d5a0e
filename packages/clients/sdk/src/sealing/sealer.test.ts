import { runInNewContext } from "node:vm"
import {
  createKeyAgreement,
  deriveContentKey,
  generatePrivateKey,
  isEncryptedFile,
  openFile,
  openToken,
  parseFile,
  parseToken,
  uncompressPublicKey,
} from "@sealway/tokens"
import { describe, expect, expectTypeOf, test, vi } from "vitest"
import type { Encrypted } from "./encrypted.ts"
import { sealing as nodeSealing } from "./node.ts"
import { type AppKey, createSealer, type Sealer, type SealerOptions } from "./sealer.ts"
import { sealing as webSealing } from "./web.ts"

const app = createKeyAgreement("prime256v1", generatePrivateKey("prime256v1"))
const otherApp = createKeyAgreement("prime256v1", generatePrivateKey("prime256v1"))

function appKeyOf({ publicKey }: typeof app, isSandbox = false): AppKey {
  const ecdhP256KeyUncompressed = uncompressPublicKey("prime256v1", publicKey).toString("base64")
  return { ecdhP256KeyUncompressed, isSandbox }
}

function open(token: string, keys = app) {
  const parsed = parseToken(token)
  if (parsed?.derivation !== "x963") throw new Error("Not a client's token")
  const contentKey = deriveContentKey(parsed, keys.sharedSecret(parsed.ephemeralPublicKey))
  const { type, value, role, encryptedAt } = openToken(parsed, contentKey, keys.publicKey)
  return { type, text: value.toString(), role, encryptedAt }
}

function openBytes(bytes: Uint8Array): Buffer {
  const file = parseFile(bytes)
  if (file.derivation !== "x963") throw new Error("Not a client's file")
  return openFile(file, deriveContentKey(file, app.sharedSecret(file.ephemeralPublicKey)), app.publicKey)
}

function segmentOf(token: string): string | undefined {
  return token.split(":").at(-3)
}

async function bytesOf(stream: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  return new Uint8Array(await new Response(stream).arrayBuffer())
}

describe.each([
  ["node:crypto", nodeSealing],
  ["WebCrypto", webSealing],
])("encrypting on %s", (_name, platform) => {
  const sealerOf = (options: Partial<SealerOptions> = {}): Sealer =>
    createSealer({ platform, appKey: () => appKeyOf(app), ...options })

  test("replaces each value of a document by a token of its type and role", async () => {
    const data = {
      card: { number: "4242424242424242" },
      amounts: [12.5, -1],
      valid: true,
      note: null,
      rest: [null],
    }
    const wallClock = () => 1_700_000_000_999
    const sealed = await sealerOf({ wallClock }).encrypt(data, "pci")
    expectTypeOf(sealed).toEqualTypeOf<{
      card: { number: string }
      amounts: string[]
      valid: string
      note: null
      rest: null[]
    }>()
    const metadata = { role: "pci", encryptedAt: 1_700_000_000 }
    expect({
      ...sealed,
      card: open(sealed.card.number),
      amounts: sealed.amounts.map((each) => open(each)),
      valid: open(sealed.valid),
    }).toEqual({
      card: { type: "string", text: "4242424242424242", ...metadata },
      amounts: ["12.5", "-1"].map((text) => ({ type: "number", text, ...metadata })),
      valid: { type: "boolean", text: "true", ...metadata },
      note: null,
      rest: [null],
    })
  })

  test("encrypts a single value, and marks it for a sandbox app", async () => {
    const token = await sealerOf({ appKey: () => appKeyOf(app, true) }).encrypt("x")
    expect(token).toMatch(/^ev:debug:Tk9D:/)
    expect(open(token)).toMatchObject({ text: "x", role: null })
  })

  test("needs no key for a document without values, nor for one that is refused", async () => {
    const appKey = vi.fn(() => appKeyOf(app))
    const sealer = sealerOf({ appKey })
    expect(await sealer.encrypt({ a: null, b: [] })).toEqual({ a: null, b: [] })
    await expect(sealer.encrypt({ a: 1n })).rejects.toThrow(TypeError)
    await expect(sealer.encrypt("x", "No slug")).rejects.toThrow(TypeError)
    expect(appKey).not.toHaveBeenCalled()
  })

  test.each([
    ["a number", 5],
    ["null", null],
    ["two slugs in an array", ["pci"]],
  ])("refuses as role %s", async (_what, role) => {
    await expect(sealerOf().encrypt("x", role as unknown as string)).rejects.toThrow(TypeError)
  })

  test("uses one ephemeral key for values of a minute, and another after it", async () => {
    let nowMs = 5
    const sealer = sealerOf({ now: () => nowMs })
    const segments = [
      segmentOf(await sealer.encrypt("a")),
      ...(await sealer.encrypt(["b", 1])).map(segmentOf),
    ]
    nowMs += 59_999
    segments.push(segmentOf(await sealer.encrypt("c")))
    expect(new Set(segments).size).toBe(1)
    nowMs += 1
    expect(segments).not.toContain(segmentOf(await sealer.encrypt("d")))
  })

  test("encrypts with the new public key as soon as there is one", async () => {
    let key = appKeyOf(app)
    const sealer = sealerOf({ appKey: () => key })
    const before = await sealer.encrypt("a")
    key = appKeyOf(otherApp)
    const after = await sealer.encrypt("b")
    key = appKeyOf(otherApp, true)
    const sandbox = await sealer.encrypt("c")
    expect([open(before).text, open(after, otherApp).text, open(sandbox, otherApp).text]).toEqual([
      "a",
      "b",
      "c",
    ])
    expect(() => open(after)).toThrow()
    expect(sandbox).toMatch(/^ev:debug:/)
  })

  test("opens all of what many calls encrypt at the same time", async () => {
    const sealer = sealerOf()
    const values = Array.from({ length: 600 }, (_, index) => index)
    const tokens = await Promise.all(values.map((value) => sealer.encrypt(value)))
    expect(tokens.map((token) => open(token).text)).toEqual(values.map(String))
    expect(new Set(tokens.map((token) => token.split(":").at(-4))).size).toBe(600)
  })

  test("tries again after the public key could not be had", async () => {
    const appKey = vi.fn(() => appKeyOf(app))
    appKey.mockRejectedValueOnce?.(new Error("offline") as never)
    const sealer = sealerOf({ appKey })
    await expect(sealer.encrypt("x")).rejects.toThrow("offline")
    expect(open(await sealer.encrypt("x")).text).toBe("x")
  })

  test.each([
    ["no base64", "ä"],
    ["nothing", ""],
    ["a compressed point", app.publicKey.toString("base64")],
    ["no point of the curve", Buffer.concat([Buffer.of(4), Buffer.alloc(64, 1)]).toString("base64")],
  ])("refuses a public key that is %s", async (_what, ecdhP256KeyUncompressed) => {
    const sealer = sealerOf({ appKey: () => ({ ecdhP256KeyUncompressed, isSandbox: false }) })
    for (let attempt = 0; attempt < 2; attempt++) {
      await expect(sealer.encrypt("x")).rejects.toThrow(
        "The app's public key is not an uncompressed point of P-256",
      )
    }
  })

  const content = Uint8Array.from({ length: 200_003 }, (_, index) => index)

  test("encrypts bytes, blobs, files and streams to files that open to the same bytes", async () => {
    const sealer = sealerOf()
    const bytes = await sealer.encrypt(content)
    expectTypeOf(bytes).toEqualTypeOf<Uint8Array<ArrayBuffer>>()
    const buffer = await sealer.encrypt(content.buffer)
    const view = await sealer.encrypt(Buffer.from(content).subarray(1, 10))
    const blob = await sealer.encrypt(new Blob([content], { type: "image/png" }))
    expectTypeOf(blob).toEqualTypeOf<Blob>()
    const file = await sealer.encrypt(new File([content], "card.png", { type: "image/png", lastModified: 7 }))
    expectTypeOf(file).toEqualTypeOf<File>()
    const stream = await sealer.encrypt(new Blob([content]).stream())
    expect(blob.type).toBe("application/octet-stream")
    expect([file.name, file.type, file.lastModified]).toEqual(["card.png", "application/octet-stream", 7])
    const sealed = [
      bytes,
      buffer,
      new Uint8Array(await blob.arrayBuffer()),
      new Uint8Array(await file.arrayBuffer()),
      await bytesOf(stream),
    ]
    for (const each of sealed) expect(openBytes(each).equals(content)).toBe(true)
    expect(openBytes(view).equals(content.subarray(1, 10))).toBe(true)
  })

  test("encrypts bytes as they were when it was called", async () => {
    const changing = Uint8Array.of(1, 2, 3)
    const sealing = sealerOf().encrypt(changing)
    changing.fill(9)
    expect([...openBytes(await sealing)]).toEqual([1, 2, 3])
  })

  test("takes the bytes of another realm, and bytes that threads share", async () => {
    const sealer = sealerOf()
    const foreign: unknown = runInNewContext("Uint8Array.of(1, 2)")
    expect([...openBytes((await sealer.encrypt(foreign)) as Uint8Array)]).toEqual([1, 2])
    expect([...openBytes(await sealer.encrypt(new Uint8Array(new SharedArrayBuffer(2))))]).toEqual([0, 0])
  })

  test("refuses an object that only calls itself an ArrayBuffer, and a buffer that was given away", async () => {
    const given = new ArrayBuffer(8)
    structuredClone(given, { transfer: [given] })
    for (const data of [{ [Symbol.toStringTag]: "ArrayBuffer", secret: 1 }, given]) {
      await expect(sealerOf().encrypt(data)).rejects.toThrow("The data cannot be encrypted.")
    }
  })

  test("keeps a file that is encrypted already, and encrypts what only begins like one", async () => {
    const sealer = sealerOf()
    const file = await sealer.encrypt(content)
    expect(Buffer.from(file).equals(await sealer.encrypt(file))).toBe(true)
    expect(Object.getPrototypeOf(file)).toBe(Uint8Array.prototype)
    const blob = new Blob([file])
    expect(await sealer.encrypt(blob)).toBe(blob)
    expect(openBytes(await sealer.encrypt(file.subarray(0, 100))).equals(file.subarray(0, 100))).toBe(true)
  })

  test.each([
    ["bytes", () => new Uint8Array(1)],
    ["a blob", () => new Blob(["x"])],
    ["a stream", () => new Blob(["x"]).stream()],
  ])("refuses a role for %s with a TypeError", async (_what, data) => {
    await expect(sealerOf().encrypt(data(), "pci")).rejects.toThrow(
      new TypeError("A file cannot carry a data role."),
    )
  })

  test("refuses files of more than the limit with a RangeError, and takes those of the limit", async () => {
    const sealer = sealerOf({ maxFileBytes: 10 })
    for (const size of [10, 11]) {
      const data = [new Uint8Array(size), new Uint8Array(size).buffer, new Blob([new Uint8Array(size)])]
      const outcomes = await Promise.allSettled([
        ...data.map((each) => sealer.encrypt(each)),
        sealer.encrypt(new Blob([new Uint8Array(size)]).stream()).then(bytesOf),
      ])
      const errors = outcomes.map((outcome) => (outcome.status === "rejected" ? outcome.reason : null))
      if (size === 10) expect(errors).toEqual([null, null, null, null])
      else expect(errors.every((error) => error instanceof RangeError)).toBe(true)
    }
  })

  test("encrypts a stream as it is read: holds a few chunks of it and no more", async () => {
    let pulled = 0
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        pulled++
        controller.enqueue(new Uint8Array(65_536))
      },
    })
    const reader = (await sealerOf({ maxFileBytes: 1e9 }).encrypt(endless)).getReader()
    let bytes = 0
    for (let count = 0; count < 40; count++) bytes += (await reader.read()).value?.length ?? 0
    expect(bytes).toBeGreaterThan(38 * 65_536)
    expect(pulled).toBeLessThan(48)
    await reader.cancel()
  })

  test.each([0, 1, 100])("encrypts a stream of %i chunks of one byte and of none", async (chunks) => {
    const source = new ReadableStream<Uint8Array>({
      start(controller) {
        for (let index = 0; index < chunks; index++) {
          controller.enqueue(Uint8Array.of(index))
          controller.enqueue(new Uint8Array(0))
        }
        controller.close()
      },
    })
    const opened = openBytes(await bytesOf(await sealerOf().encrypt(source)))
    expect([...opened]).toEqual(Array.from({ length: chunks }, (_, index) => index))
  })

  test("passes on why a stream failed, and why nobody reads it any more", async () => {
    const sealer = sealerOf()
    const failing = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(content),
      pull: () => Promise.reject(new Error("the disk is gone")),
    })
    await expect(bytesOf(await sealer.encrypt(failing))).rejects.toThrow("the disk is gone")
    const cancel = vi.fn()
    const sealed = await sealer.encrypt(new ReadableStream<Uint8Array>({ cancel }))
    await sealed.cancel("enough")
    expect(cancel).toHaveBeenCalledWith("enough")
  })

  test("refuses a stream of text, and one that is being read, with a TypeError", async () => {
    const sealer = sealerOf()
    const text = new ReadableStream({ start: (controller) => controller.enqueue("text") })
    await expect(bytesOf(await sealer.encrypt(text))).rejects.toThrow(TypeError)
    const locked = new Blob(["x"]).stream()
    locked.getReader()
    await expect(sealer.encrypt(locked)).rejects.toThrow(TypeError)
  })

  test("never encrypts two streams or files under the same key and IV", async () => {
    const sealer = sealerOf()
    const sealed = await Promise.all([
      ...[1, 2, 3].map(() => sealer.encrypt(new Uint8Array(5))),
      ...[1, 2, 3].map(async () => bytesOf(await sealer.encrypt(new Blob([new Uint8Array(5)]).stream()))),
    ])
    expect(new Set(sealed.map((bytes) => parseFile(bytes).iv.toString("hex"))).size).toBe(6)
    expect(sealed.every((bytes) => isEncryptedFile(bytes))).toBe(true)
  })
})

test("types what becomes of data of any shape", () => {
  expectTypeOf<Encrypted<{ a?: string; at: Date; list: readonly [1, null] }>>().toEqualTypeOf<{
    a?: string
    at: string
    list: readonly [string, null]
  }>()
  expectTypeOf<Encrypted<boolean | null>>().toEqualTypeOf<string | null>()
  expectTypeOf<Encrypted<unknown>>().toEqualTypeOf<unknown>()
  // biome-ignore lint/suspicious/noExplicitAny: data of callers without types
  expectTypeOf<Encrypted<{ data: any }>>().toEqualTypeOf<{ data: any }>()
})
