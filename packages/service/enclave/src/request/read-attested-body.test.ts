import { finish } from "@sealway/kernel"
import { describe, expect, test } from "vitest"
import { MAX_ATTESTATION_BYTES } from "../attestation/limits.ts"
import { MAX_DATA_BYTES, readAttestedBody } from "./read-attested-body.ts"

const read = (text: string) => finish(readAttestedBody(Buffer.from(text)))
const bodyOf = (attestation: Uint8Array, data = "1") =>
  `{"attestation":"${Buffer.from(attestation).toString("base64")}","data":${data}}`
const refused = (fields?: object) =>
  expect.objectContaining({ code: "invalid-request", ...(fields && { fields }) })

describe("the body of a request that an enclave attests", () => {
  test.each([0, 1, 2, 3, MAX_ATTESTATION_BYTES])("has an attestation of %i bytes", (size) => {
    const attestation = Buffer.alloc(size, 0xfb)
    const text = bodyOf(attestation, '{"a": 1}')
    const found = read(text)
    expect(found.attestation.equals(attestation)).toBe(true)
    expect(text.slice(found.data.start, found.data.end)).toBe('{"a": 1}')
  })

  test.each([
    ["is longer than any", `"${Buffer.alloc(MAX_ATTESTATION_BYTES + 3).toString("base64")}"`],
    ["lacks its padding", '"YQ"'],
    ["has more padding", '"YWI=="'],
    ["has padding in its middle", '"YQ==YQ=="'],
    ["has blanks", '"YWJj "'],
    ["has the alphabet of URLs", '"-_-_"'],
    ["is spelled with an escape", '"\\u0059WJj"'],
    ["is a list", '["YWJj"]'],
    ["is null", "null"],
  ])("is refused with invalid-request when its attestation %s", (_, literal) => {
    const reason = expect.stringContaining("12288 bytes")
    expect(() => read(`{"attestation":${literal},"data":1}`)).toThrow(
      refused([{ pointer: "/attestation", reason }]),
    )
  })

  test("is refused with invalid-request when it is no object, has another field, or lacks one", () => {
    for (const text of ["[]", "1", "null", "{", ""]) expect(() => read(text)).toThrow(refused())
    const required = [{ pointer: "/data", reason: expect.stringContaining("required") }]
    expect(() => read('{"attestation":""}')).toThrow(refused(required))
    expect(() => read('{"data":1}')).toThrow(refused([expect.objectContaining({ pointer: "/attestation" })]))
    const unknown = [{ pointer: "", reason: expect.stringContaining("attestation, data") }]
    expect(() => read('{"attestation":"","data":1,"more":1}')).toThrow(refused(unknown))
    const repeated = expect.objectContaining({
      code: "invalid-request",
      message: expect.stringContaining("ambiguous"),
    })
    expect(() => read('{"attestation":"","data":1,"data":2}')).toThrow(repeated)
  })

  test("has at most 4 MB of data", () => {
    const data = `"${"x".repeat(MAX_DATA_BYTES - 2)}"`
    expect(read(bodyOf(Buffer.alloc(0), data)).attestation).toHaveLength(0)
    const tooLarge = expect.objectContaining({ code: "payload-too-large" })
    expect(() => read(bodyOf(Buffer.alloc(0), `"${"x".repeat(MAX_DATA_BYTES - 1)}"`))).toThrow(tooLarge)
  })
})
