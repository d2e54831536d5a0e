import { Readable } from "node:stream"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import {
  brotliCompressSync,
  brotliDecompressSync,
  deflateRawSync,
  deflateSync,
  gunzipSync,
  gzipSync,
  inflateRawSync,
  inflateSync,
  zstdCompressSync,
  zstdDecompressSync,
} from "node:zlib"
import {
  createSymmetricKeys,
  FILE_OVERHEAD_BYTES,
  isFile,
  isToken,
  startSymmetricStream,
} from "@sealway/tokens"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { action, sendMessage } from "./testing/send-message.ts"
import { createTestCiphers } from "./testing/test-cipher.ts"

setFlagsFromString("--expose-gc")
const collectGarbage: () => void = runInNewContext("gc")

function retainedBytes(): number {
  collectGarbage()
  return process.memoryUsage().arrayBuffers
}

const ciphers = createTestCiphers()
const cipher = ciphers.cipher()
const send = (message: Parameters<typeof sendMessage>[1]) =>
  sendMessage(cipher, { contentType: "multipart/form-data; boundary=xyz", ...message })
const sealer = await cipher.sealer(1, [])
const tokenOf = (text: string, role: string | null = null) => sealer("string", Buffer.from(text), role)

type Part = readonly [name: string, content: string | Buffer, filename?: string]

function bodyOf(parts: readonly Part[]): Buffer {
  const pieces = parts.flatMap(([name, content, filename]) => [
    Buffer.from(`--xyz\r\nContent-Disposition: form-data; name="${name}"`),
    Buffer.from(`${filename === undefined ? "" : `; filename="${filename}"`}\r\nX-Part: 1\r\n\r\n`),
    Buffer.from(content),
    Buffer.from("\r\n"),
  ])
  return Buffer.concat([...pieces, Buffer.from("--xyz--\r\n")])
}

/** Returns the contents of the parts that `bodyOf` writes. */
function contentsOf(body: Buffer | null): Buffer[] {
  const text = body?.toString("latin1") ?? ""
  return text
    .split("--xyz\r\n")
    .slice(1)
    .map((part) =>
      Buffer.from(part.slice(part.indexOf("\r\n\r\n") + 4).replace(/\r\n(--xyz--\r\n)?$/, ""), "latin1"),
    )
}

/** The header of a file of `/files`, and some bytes of its content. */
function streamingFile(): Buffer {
  const appPublicKey = Buffer.alloc(33, 2)
  const keys = createSymmetricKeys({
    keyVersion: 1,
    valueKey: Buffer.alloc(32, 1),
    appPublicKey,
    debug: false,
    now: () => 0,
  })
  const { header } = startSymmetricStream(keys, { role: null, chunkBytes: 65_536, encryptedAt: 1 })
  return Buffer.concat([header, Buffer.alloc(100)])
}

test.each(["encrypt", "decrypt"] as const)(
  "refuses a file of /files that a route is to %s, and names the endpoint for it",
  async (verb) => {
    const body = bodyOf([["doc", streamingFile(), "doc.bin"]])
    const { error } = await send({ actions: [action(verb, "file", "doc")], body })
    expect(error?.code).toBe("bad-request")
    expect(error?.message).toContain("POST /files/{file_id}/decrypt")
  },
)

const streamed = (body: Buffer, size = 1_000) =>
  Readable.from(
    Array.from({ length: Math.ceil(body.length / size) }, (_, index) =>
      body.subarray(index * size, (index + 1) * size),
    ),
  )
const encryptAll = [action("encrypt", "form", "name"), action("encrypt", "file", "doc")]
const decryptAll = [action("decrypt", "form", "name"), action("decrypt", "file", "doc")]
const parts: readonly Part[] = [
  ["name", "Ada Löve"],
  ["doc", Buffer.from([0, 1, 2, 255, 13, 10, 45]), "a.pdf"],
  ["other", "x", "b.pdf"],
  ["doc", "a field of that name"],
]
const same = (bytes: Buffer) => bytes
/** `deflate` without its frame gets one if the body is a stream. */
const inflateAny = (bytes: Buffer) =>
  ((bytes[0] ?? 0) & 15) === 8 ? inflateSync(bytes) : inflateRawSync(bytes)
const CODINGS = [
  [null, same, same],
  ["gzip", gzipSync, gunzipSync],
  ["deflate", deflateSync, inflateSync],
  ["deflate", deflateRawSync, inflateAny],
  ["br", brotliCompressSync, brotliDecompressSync],
  ["zstd", zstdCompressSync, zstdDecompressSync],
  [
    "gzip, zstd",
    (bytes: Buffer) => zstdCompressSync(gzipSync(bytes)),
    (bytes: Buffer) => gunzipSync(zstdDecompressSync(bytes)),
  ],
] as const
/** So small that any body is a large one. */
const limits = { maxBodyBytes: 1_000 }

describe("fields and files of a multipart body", () => {
  test("are encrypted and restored, and nothing else changes", async () => {
    const body = bodyOf(parts)
    const encrypted = await send({ actions: encryptAll, body })
    const [name, doc, other, field] = contentsOf(encrypted.bytes)
    expect(isToken(name?.toString() ?? "")).toBe(true)
    expect([isFile(doc ?? body), doc?.length]).toEqual([true, 7 + FILE_OVERHEAD_BYTES])
    expect([other?.toString(), field?.toString()]).toEqual(["x", "a field of that name"])
    expect(encrypted.contentLength).toBe(encrypted.bytes?.length)
    expect(encrypted.report.selections).toMatchObject([
      { type: "form", matched: 1, changed: 1 },
      { type: "file", matched: 1, changed: 1 },
    ])
    const back = await send({ actions: decryptAll, body: encrypted.bytes })
    expect(back.bytes).toEqual(body)
  })

  test("are restored when they arrive in pieces, and are larger than what is read at once", async () => {
    const large: readonly Part[] = [...parts, ["doc", Buffer.alloc(20_000, "ab"), "c.pdf"]]
    const body = bodyOf(large)
    const encrypted = await send({
      actions: encryptAll,
      body: streamed(body),
      contentLength: body.length,
      limits: { ...limits, maxBodyBytes: 2_000 },
    })
    expect(encrypted).toMatchObject({ error: null, contentLength: null, isBodyChanged: true })
    const back = await send({
      actions: decryptAll,
      body: streamed(encrypted.bytes ?? body, 7),
      contentLength: null,
      limits: { ...limits, maxBodyBytes: 2_000 },
    })
    expect(back.contentLength).toBe(body.length)
    expect(back.bytes).toEqual(body)
  })

  test("are restored from every content coding, whatever they contain and however they arrive", async () => {
    const content = fc.oneof(
      fc.string({ unit: fc.constantFrom("a", "\r", "\n", "-", "--xy", "é"), maxLength: 40 }),
      fc.constantFrom("", "x".repeat(3_000), "\r\n".repeat(300)),
    )
    const part = fc.tuple(
      fc.constantFrom("name", "doc", "other"),
      content,
      fc.option(fc.constantFrom("", "a.pdf"), { nil: undefined }),
    )
    const isMeant = ([name, , filename]: Part) => name !== "name" || filename === undefined
    const anyPart = part.map(
      ([name, text, filename]): Part => (filename === undefined ? [name, text] : [name, text, filename]),
    )
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyPart.filter(isMeant), { minLength: 1, maxLength: 5 }),
        fc.constantFrom(...CODINGS),
        fc.constantFrom("request" as const, "response" as const),
        fc.integer({ min: 1, max: 4_000 }),
        fc.boolean(),
        async (some, [coding, encode, decode], direction, size, isLarge) => {
          const original = bodyOf(some)
          const encoded = encode(original)
          const message = {
            direction,
            headers: coding === null ? [] : ["Content-Encoding", coding],
            contentLength: isLarge ? 10_000_000 : encoded.length,
          }
          const sealed = await sendMessage(ciphers.cipher(direction), {
            ...message,
            contentType: "multipart/form-data; boundary=xyz",
            actions: encryptAll,
            body: streamed(encoded, size),
          })
          expect(sealed.error).toBeNull()
          const isCoded = direction === "response"
          const sent = sealed.bytes ?? encoded
          for (const [index, found] of contentsOf(isCoded ? decode(sent) : sent).entries()) {
            const [name, text, filename] = some[index] ?? ["", ""]
            const isSelected = filename === undefined ? name === "name" : name === "doc"
            if (isSelected && text !== "") expect(found.equals(Buffer.from(text))).toBe(false)
            if (!isSelected) expect(found.equals(Buffer.from(text))).toBe(true)
          }
          const back = await sendMessage(ciphers.cipher(direction), {
            ...message,
            contentType: "multipart/form-data; boundary=xyz",
            actions: decryptAll,
            body: streamed(isCoded ? sent : encode(sent), size),
          })
          expect(decode(back.bytes ?? encoded).equals(original)).toBe(true)
        },
      ),
      { numRuns: 300 },
    )
  })

  test("are restored through a content coding, small and large", async () => {
    const body = bodyOf([...parts, ["doc", Buffer.alloc(20_000, "ab"), "c.pdf"]])
    const headers = ["Content-Encoding", "gzip"]
    for (const contentLength of [10, 10_000_000]) {
      const encrypted = await send({
        actions: encryptAll,
        headers,
        body: streamed(gzipSync(body)),
        contentLength,
      })
      // Parsers that ignore codings must not find another form in the coded bytes.
      expect(encrypted.bytes?.length).toBeGreaterThan(body.length)
      expect(encrypted.rawHeaders).not.toContain("gzip")
      const back = await send({ actions: decryptAll, headers, body: gzipSync(encrypted.bytes ?? "") })
      expect(gunzipSync(back.bytes ?? "")).toEqual(body)
    }
  })

  test("stay when they are encrypted already, or are not and would be decrypted", async () => {
    const encrypted = await send({ actions: encryptAll, body: bodyOf(parts) })
    const again = await send({ actions: encryptAll, body: encrypted.bytes })
    expect(again.bytes).toEqual(encrypted.bytes)
    const plain = await send({ actions: decryptAll, body: bodyOf(parts) })
    expect(plain.bytes).toEqual(bodyOf(parts))
  })

  test("are encrypted when a file only starts like an encrypted one", async () => {
    const content = Buffer.concat([Buffer.from("%EVENC"), Buffer.alloc(100)])
    const { bytes, report } = await send({ actions: encryptAll, body: bodyOf([["doc", content, "a"]]) })
    expect(contentsOf(bytes)[0]?.length).toBe(content.length + FILE_OVERHEAD_BYTES)
    expect(report.selections).toMatchObject([{ matched: 0 }, { changed: 1 }])
  })

  test("stay when a file is empty and was not chosen, or empty values must stay", async () => {
    const unchosen = bodyOf([["doc", "", ""]])
    expect((await send({ actions: encryptAll, body: unchosen })).bytes).toEqual(unchosen)
    const empty = bodyOf([
      ["doc", "", "a"],
      ["name", ""],
    ])
    expect((await send({ actions: encryptAll, body: empty, encryptEmptyStrings: false })).bytes).toEqual(
      empty,
    )
    const [file] = contentsOf((await send({ actions: encryptAll, body: empty })).bytes)
    expect(file?.length).toBe(FILE_OVERHEAD_BYTES)
  })
})

describe("a multipart body", () => {
  const token = tokenOf("Ada")

  test.each([10, 10_000_000])(
    "is refused for a token in an unselected field, of %d bytes",
    async (contentLength) => {
      const body = streamed(
        bodyOf([
          ["doc", "x", "a"],
          ["note", `see ${token}`],
        ]),
      )
      const { error } = await send({ actions: encryptAll, body, contentLength })
      expect(error?.code).toBe("encrypt/pre-encrypted-data")
    },
  )

  test.each([10, 10_000_000])("is watched for leaks, of %d bytes", async (contentLength) => {
    const body = () =>
      streamed(
        bodyOf([
          ["doc", "x", "a"],
          ["note", "4242424242424242"],
        ]),
      )
    const alert = await send({ actions: encryptAll, body: body(), contentLength, leakWatch: "alert" })
    expect(alert.report.leaks).toEqual([{ direction: "request", path: "note" }])
    const block = await send({ actions: encryptAll, body: body(), contentLength, leakWatch: "block" })
    expect(block.error?.code).toBe("bad-request")
  })

  test("passes with a token in an unselected field when it is a response, or nothing is encrypted", async () => {
    const body = bodyOf([
      ["doc", "x", "a"],
      ["note", `see ${token}`],
    ])
    const answer = await send({ actions: encryptAll, body, direction: "response" })
    expect([answer.error, contentsOf(answer.bytes)[1]?.toString()]).toEqual([null, `see ${token}`])
    expect((await send({ actions: decryptAll, body })).bytes).toEqual(body)
  })

  test("passes with anything in an unselected file, which is not looked into", async () => {
    const content = Buffer.concat([Buffer.from(`4242424242424242 ${token}`), Buffer.alloc(2_000, 255)])
    const body = bodyOf([["other", content, "a"]])
    const message = { actions: encryptAll, leakWatch: "block", limits } as const
    for (const contentLength of [10, 10_000_000]) {
      const sent = await send({ ...message, body: streamed(body), contentLength })
      expect([sent.error, sent.bytes?.equals(body)]).toEqual([null, true])
    }
  })

  test("is watched for leaks where it is only decrypted, in the names of its fields too", async () => {
    const body = bodyOf([
      ["doc", "x", "a"],
      ["note", "4242424242424242"],
      ["4242 4242 4242 4242", "1"],
    ])
    const { report } = await send({ actions: decryptAll, body, leakWatch: "alert" })
    expect(report.leaks).toHaveLength(2)
    expect(report.leaks[0]?.path).toBe("note")
  })

  test.each([10, 10_000_000])(
    "has its fields sealed with their roles, and counted, of %d bytes",
    async (contentLength) => {
      const counted: number[] = []
      const base = ciphers.cipher()
      const counting = { ...base, count: (values: number) => counted.push(values) }
      const before = ciphers.marked.length
      const { bytes } = await sendMessage(counting, {
        contentType: "multipart/form-data; boundary=xyz",
        actions: [
          action("encrypt", "form", "name", "pii"),
          action("encrypt", "form", "more"),
          action("encrypt", "file", "doc"),
        ],
        body: streamed(
          bodyOf([
            ["name", "Ada"],
            ["more", "Löve"],
            ["doc", "x", "a"],
          ]),
        ),
        contentLength,
      })
      expect(contentsOf(bytes).map((content) => isToken(content.toString()))).toEqual([true, true, false])
      expect(new Set(ciphers.marked.slice(before))).toEqual(new Set(["pii"]))
      expect(counted.reduce((sum, values) => sum + values, 0)).toBe(2)
    },
  )

  test("is decided on once, and nothing of it is released when one value is refused", async () => {
    const actions = [...decryptAll, action("decrypt", "form", "more"), action("decrypt", "header", "x-card")]
    const headers = ["x-card", tokenOf("1", "pci")]
    const before = ciphers.decided.length
    const body = bodyOf([
      ["doc", "x", "a"],
      ["name", tokenOf("2", "pci")],
      ["more", tokenOf("3", "pci")],
    ])
    expect((await send({ actions, headers, body })).error).toBeNull()
    expect(ciphers.decided.slice(before).map(({ requests }) => requests)).toEqual([
      [{ role: "pci", values: 3 }],
    ])
    const refused = await send({ actions, body: bodyOf([["more", tokenOf("3", "forbidden")]]) })
    expect([refused.error?.code, refused.body]).toEqual(["decrypt/forbidden", undefined])
  })

  test("is refused as a whole when a file was changed", async () => {
    const encrypted = await send({ actions: encryptAll, body: bodyOf(parts) })
    const changed = Buffer.from(encrypted.bytes ?? "")
    const at = changed.indexOf("%EVENC") + 60
    changed[at] = (changed[at] ?? 0) ^ 1
    const refused = await send({ actions: decryptAll, body: changed })
    expect([refused.error?.code, refused.body]).toEqual(["bad-request", undefined])
  })

  test("is refused when a decrypted value contains its boundary", async () => {
    const value = 'a\r\n--xyz\r\nContent-Disposition: form-data; name="admin"\r\n\r\n1'
    const { error } = await send({ actions: decryptAll, body: bodyOf([["name", tokenOf(value)]]) })
    expect(error?.code).toBe("bad-request")
  })

  test.each([
    ["a file", [["doc", Buffer.alloc(2_000), "a"]], { maxFileBytes: 1_000 }],
    ["the rest", [["name", "x".repeat(2_000)]], { maxBodyBytes: 1_000 }],
    ["the whole", [["doc", Buffer.alloc(2_000), "a"]], { maxMultipartBytes: 1_500 }],
  ] as const)("is refused with payload-too-large when %s is too large", async (_, large, limit) => {
    const body = bodyOf(large)
    const stream = streamed(body)
    const { error } = await send({
      actions: decryptAll,
      body: stream,
      contentLength: body.length,
      limits: limit,
    })
    expect(error?.code).toBe("payload-too-large")
  })

  test("is refused when it is truncated, or its boundary is missing", async () => {
    const body = bodyOf(parts).subarray(0, -9)
    expect((await send({ actions: encryptAll, body })).error?.code).toBe("bad-request")
    const { error } = await send({ actions: encryptAll, body, contentType: "multipart/form-data" })
    expect(error?.code).toBe("invalid-content-type")
  })

  test("of 25 MB is not held while it is encrypted", async () => {
    const chunk = Buffer.alloc(64 * 1024, 7)
    const head = bodyOf([["doc", "", "a"]]).subarray(0, -11)
    let peakBytes = 0
    const before = retainedBytes()
    async function* pieces() {
      yield head
      for (let sent = 0; sent < 380; sent++) {
        if (sent % 38 === 0) peakBytes = Math.max(peakBytes, retainedBytes() - before)
        yield Buffer.from(chunk)
      }
      yield Buffer.from("\r\n--xyz--\r\n")
    }
    let bytes = 0
    const body = Readable.from(pieces())
    const { error } = await send({
      actions: encryptAll,
      body,
      contentLength: 24_900_000,
      onPiece: (piece) => {
        bytes += piece.length
      },
    })
    expect(error).toBeNull()
    expect(bytes).toBe(head.length + 380 * chunk.length + 11 + FILE_OVERHEAD_BYTES)
    expect(peakBytes).toBeLessThan(15_000_000)
  })
})
