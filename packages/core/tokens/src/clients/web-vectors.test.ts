import { describe, expect, test } from "vitest"
import { bytesOf, openFileWithWebCrypto, openTokenWithWebCrypto } from "../testing/open-with-web-crypto.ts"
import { vectors } from "../testing/vectors.ts"

const keys = vectors.keys.prime256v1
const tokens = vectors.tokens.filter(({ version }) => version === "Tk9D" || version === "QkTC")
const files = vectors.files.filter(({ curve }) => curve === "prime256v1")

/** What the clients derive and authenticate with WebCrypto is what an independent implementation does. */
describe("with WebCrypto", () => {
  test.each(tokens)("opens vector %#, a $type of $version", async (vector) => {
    const { text, metadataHex } = await openTokenWithWebCrypto(vector.token, keys)
    expect(vector.type === "string" ? text : JSON.parse(text)).toBe(vector.value)
    expect(metadataHex).toBe(vector.metadataHex)
  })

  test.each(files)("opens the file of vector %#", async (vector) => {
    const opened = await openFileWithWebCrypto(bytesOf(vector.fileBase64), keys)
    expect(Buffer.from(opened).toString("base64")).toBe(vector.plaintextBase64)
  })
})
