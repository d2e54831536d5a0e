import { execFile, execFileSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { describe, expect, test } from "vitest"
import { isSymmetric } from "./crypto/content-key.ts"
import { openFileStream } from "./files/open-file-stream.ts"
import { encodeMetadata } from "./format/encode-metadata.ts"
import { parseToken } from "./format/parse-token.ts"
import { refusal } from "./testing/refused.ts"
import { collect, inChunks } from "./testing/streams.ts"
import {
  openSymmetricBytes,
  openSymmetricText,
  symmetricVectorApp,
  symmetricVectors,
} from "./testing/symmetric-app.ts"
import { openText } from "./testing/test-app.ts"
import { vectorApp } from "./testing/vectors.ts"

const { vectors, refused, files, refusedFiles } = symmetricVectors
const VERSIONS = [1, 2, 3, 100]
const CHECK = fileURLToPath(new URL("../vectors/check_vectors.py", import.meta.url))

describe("symmetric vectors", () => {
  test.each(vectors)("open to value, type, role and time: $name", (vector) => {
    const { type, role, encryptedAt } = vector
    const opened = openSymmetricText(vector.token, symmetricVectorApp, VERSIONS)
    expect(opened).toEqual({ type, role, encryptedAt, value: Buffer.from(vector.value) })
  })

  test.each(vectors)("parse into version, salt and IV, and give the content key: $name", (vector) => {
    const token = parseToken(vector.token)
    if (token === null || !isSymmetric(token)) throw new Error("Not a symmetric token")
    const { keyVersion, debug, keySegment, iv, contentKey } = vector
    expect(token).toMatchObject({ keyVersion, debug, version: "c3cx" })
    expect(token.keySegment.toString("hex")).toBe(keySegment)
    expect(token.iv.toString("hex")).toBe(iv)
    const derived = symmetricVectorApp.version(keyVersion).contentKey(token)
    expect(derived.export().toString("hex")).toBe(contentKey)
  })

  test.each(Object.entries(refused))("refuse a token: %s", (_, token) => {
    expect(() => openSymmetricText(token, symmetricVectorApp, VERSIONS)).toThrow(refusal)
    expect(() => openText(token, vectorApp)).toThrow(refusal)
  })

  test.each(files)("open to the content of a file, whole and streamed: $name", async (vector) => {
    const file = Buffer.from(vector.fileBase64, "base64")
    expect(openSymmetricBytes(file, symmetricVectorApp, VERSIONS).toString("base64")).toBe(
      vector.plaintextBase64,
    )
    expect((await collect(streamed(file))).toString("base64")).toBe(vector.plaintextBase64)
  })

  test.each(Object.entries(refusedFiles))("refuse a file, whole and streamed: %s", async (_, base64) => {
    const file = Buffer.from(base64, "base64")
    expect(() => openSymmetricBytes(file, symmetricVectorApp, VERSIONS)).toThrow(refusal)
    await expect(collect(streamed(file))).rejects.toThrow(refusal)
  })

  test("have a metadata map of one to three entries, by what is known", () => {
    expect(encodeMetadata("card-number", 83, 1_795_000_000)[2]).toBe(0x83)
    expect(encodeMetadata(null, 83, 1_795_000_000)[2]).toBe(0x82)
    expect([...encodeMetadata(null, 83, null)]).toEqual([5, 0, 0x81, 0xa2, 0x65, 0x6f, 83])
  })

  const isSkipped = !hasPython()
  const title = "are opened and refused alike by an independent implementation of docs/token-format.md"
  test.skipIf(isSkipped)(
    isSkipped ? `${title} (skipped: needs python3 with the package cryptography)` : title,
    async () => {
      const { stdout } = await promisify(execFile)("python3", [CHECK])
      const opened = /^(\d+) opened, (\d+) refused$/.exec(stdout.trim())
      expect(Number(opened?.[1])).toBeGreaterThanOrEqual(80)
      expect(Number(opened?.[2])).toBeGreaterThanOrEqual(35)
    },
  )
})

function streamed(file: Buffer): AsyncIterable<Buffer> {
  return openFileStream(
    inChunks(file, 10),
    (header) => {
      if (!isSymmetric(header) || !VERSIONS.includes(header.keyVersion)) return []
      const contentKey = symmetricVectorApp.version(header.keyVersion).contentKey(header)
      return [{ contentKey, appPublicKey: symmetricVectorApp.appPublicKey }]
    },
    { maxBytes: file.length },
  )
}

function hasPython(): boolean {
  try {
    execFileSync("python3", ["-c", "import cryptography"], { stdio: "pipe" })
    return true
  } catch {
    return false
  }
}
