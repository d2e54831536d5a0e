import { open, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { decode, encode } from "cborg"
import { describe, expect, test } from "vitest"
import { openNsmDevice } from "./nsm-device.ts"
import { createSecurityModule, SecurityModuleError } from "./security-module.ts"

/** A module that answers with the same, and the requests that it got. */
function moduleThatAnswers(answer: Uint8Array) {
  const requests: unknown[] = []
  const module = createSecurityModule(async (request) => {
    requests.push(decode(request))
    return answer
  })
  return { module, requests }
}

describe("the security module", () => {
  test("is asked as its interface says, and answers with a document before zeros", async () => {
    const answer = encode({ Attestation: { document: new Uint8Array([1, 2, 3]) } })
    const { module, requests } = moduleThatAnswers(Buffer.concat([answer, Buffer.alloc(100)]))
    expect(await module.attest({ userData: new Uint8Array([7]) })).toEqual(Buffer.of(1, 2, 3))
    expect(requests).toEqual([
      { Attestation: { user_data: new Uint8Array([7]), nonce: null, public_key: null } },
    ])
  })

  test.each<[string, Uint8Array, string]>([
    ["an error", encode({ Error: "InputTooLarge" }), "InputTooLarge"],
    ["another answer", encode({ Random: { random: new Uint8Array(1) } }), "no document"],
    ["a document that is text", encode({ Attestation: { document: "x" } }), "no document"],
    ["no CBOR", Buffer.from([0xff]), "CBOR"],
    ["nothing", Buffer.alloc(0), "CBOR"],
  ])("that answers with %s is an error", async (_name, answer, reason) => {
    const asked = moduleThatAnswers(answer).module.attest({})
    await expect(asked).rejects.toThrow(SecurityModuleError)
    await expect(asked).rejects.toThrow(reason)
  })
})

describe("the device of the module", () => {
  test("is asked by ioctl, which another file refuses", async () => {
    const path = join(tmpdir(), `sealway-nsm-${process.pid}`)
    await writeFile(path, "")
    try {
      const exchange = await openNsmDevice(path)
      await expect(exchange(encode({}))).rejects.toThrow("does not take the request")
      await expect(exchange(new Uint8Array(4_097))).rejects.toThrow("too large")
    } finally {
      await rm(path)
    }
  })

  test("must exist", async () => {
    await expect(open("/dev/nsm")).rejects.toThrow()
    await expect(openNsmDevice()).rejects.toMatchObject({ code: "ENOENT" })
  })
})
