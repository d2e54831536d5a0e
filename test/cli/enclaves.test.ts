import { createHash, X509Certificate } from "node:crypto"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import {
  IMAGE_SECTIONS,
  type ImageSection,
  signatureSection,
  writeEnclaveImage,
} from "../support/enclave-image.ts"
import { createSelfSigned } from "../support/self-signed.ts"
import { useService } from "../support/service.ts"
import { withFolder } from "../support/start.ts"
import { run, runAgainst } from "./cli.ts"

const service = useService()
const sealway = (args: readonly string[], folder?: string) =>
  runAgainst(service, ["enclaves", ...args], folder === undefined ? {} : { folder })

/** A PCR of zeros, extended by what was measured. */
function pcrOf(...parts: readonly (Uint8Array | string)[]): string {
  const measured = createHash("sha384")
  for (const part of parts) measured.update(part)
  return createHash("sha384").update(Buffer.alloc(48)).update(measured.digest()).digest("hex")
}

const APPLICATION = Buffer.alloc(3_000_000, "application")
const PCRS = {
  pcr0: pcrOf("kernel", "console=none", "boot", APPLICATION, "more"),
  pcr1: pcrOf("kernel", "console=none", "boot"),
  pcr2: pcrOf(APPLICATION, "more"),
}

async function measure(content: Uint8Array, ...flags: readonly string[]) {
  return withFolder(async (folder) => {
    await writeFile(join(folder, "image.eif"), content)
    return run(["enclaves", "measure", "image.eif", ...flags], { folder })
  })
}

describe("sealway enclaves measure", () => {
  test("prints the PCRs of an image, and calls no service", async () => {
    const image = writeEnclaveImage(IMAGE_SECTIONS)
    const { stdout } = await measure(image)
    for (const [name, pcr] of Object.entries(PCRS)) expect(stdout).toContain(`${name}\t${pcr}`)
    expect((await measure(image, "--json")).json()).toEqual({ ...PCRS, pcr8: null })
    expect((await measure(image, "--quiet")).stdout).toBe(`${PCRS.pcr0}\n`)
  })

  test("measures the certificate that has signed the image, which changes no other PCR", async () => {
    const { certificate } = createSelfSigned("DNS:signer.example.com")
    const image = writeEnclaveImage([...IMAGE_SECTIONS, signatureSection(certificate)])
    const pcr8 = pcrOf(new X509Certificate(certificate).raw)
    expect((await measure(image, "--json")).json()).toEqual({ ...PCRS, pcr8 })
  })

  const good = writeEnclaveImage(IMAGE_SECTIONS)
  const withByte = (at: number, byte: number) => {
    const changed = Buffer.from(good)
    changed[at] = byte
    return changed
  }
  const section = (type: number, content = Buffer.from("x")): ImageSection => ({ type, content })

  test.each<[string, Uint8Array]>([
    ["empty", Buffer.alloc(0)],
    ["another kind of file", Buffer.alloc(1_000, "text")],
    ["cut off in a section", good.subarray(0, -1)],
    ["cut off before a section", good.subarray(0, -16)],
    ["changed in a section", withByte(good.length - 1, 0)],
    ["changed in its header", withByte(8, 1)],
    ["longer than it says", Buffer.concat([good, Buffer.alloc(12)])],
    ["of a later version", writeEnclaveImage(IMAGE_SECTIONS, 5)],
    ["of a version with other sections", writeEnclaveImage([section(6)])],
    ["signed by no certificate", writeEnclaveImage([signatureSection("text")])],
    ["signed in another way", writeEnclaveImage([section(4)])],
    ["signed at length", writeEnclaveImage([section(4, Buffer.alloc(70_000))])],
  ])("refuses a file that is %s", async (_name, content) => {
    const { exitCode, stderr } = await measure(content)
    expect({ exitCode, stderr }).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("image.eif") })
  })

  test("refuses a folder, and a file that does not exist", async () => {
    expect((await run(["enclaves", "measure", "."])).exitCode).toBe(2)
    expect((await run(["enclaves", "measure", "nothing.eif"])).exitCode).toBe(2)
  })
})

describe("sealway enclaves", () => {
  test("registers an image, lists, shows and deletes it", () =>
    withFolder(async (folder) => {
      await writeFile(join(folder, "image.eif"), writeEnclaveImage(IMAGE_SECTIONS))
      const registered = await sealway(["register", "Checkout", "--image", "image.eif", "--quiet"], folder)
      const id = registered.stdout.trim()
      expect(registered.exitCode, registered.stderr).toBe(0)
      expect((await sealway(["get", id, "--json"])).json()).toMatchObject({
        name: "Checkout",
        pcrs: { pcr0: PCRS.pcr0 },
      })
      expect((await sealway(["list"])).rows()).toContainEqual(expect.arrayContaining([id, "Checkout"]))
      expect((await sealway(["delete", id, "--yes"])).exitCode).toBe(0)
      expect((await sealway(["get", id])).exitCode).toBe(4)
    }))

  test("registers what a signer signs, and asks for exactly one of image, PCR0 and PCR8", async () => {
    const pcr8 = "ab".repeat(48)
    const registered = await sealway(["register", "All", "--pcr8", pcr8, "--json"])
    expect(registered.json()).toMatchObject({ pcrs: { pcr8 } })
    for (const flags of [[], ["--pcr0", pcr8, "--pcr8", pcr8]]) {
      expect((await sealway(["register", "None", ...flags])).exitCode).toBe(2)
    }
    expect((await sealway(["register", "Short", "--pcr0", "ab"])).stderr).toContain("96")
  })
})
