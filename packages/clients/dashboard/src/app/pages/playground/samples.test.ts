import { execFileSync } from "node:child_process"
import { expect, test } from "vitest"
import { samplesOf } from "./samples.ts"

const REQUEST = { origin: "http://localhost:7400", appId: "app_1", role: "pci" }

test("samples hold the document as it was typed, quoted for their language", () => {
  const document = `{"name": "O'Neil \\"x\\" $(id)"}`
  const [curl, node, python] = samplesOf({ ...REQUEST, document })
  const shell = `curl() { for each; do last=$each; done; printf %s "$last"; }\n${curl?.code}`
  expect(execFileSync("sh", ["-c", shell], { encoding: "utf8" })).toBe(document)
  expect(node?.code).toContain(`sealway.encrypt(${document}, { role: "pci" })`)
  expect(python?.code).toContain(`data=${JSON.stringify(document)}`)
})

test("samples name no role where there is none", () => {
  for (const { code } of samplesOf({ ...REQUEST, role: null, document: "1" })) {
    expect(code).not.toMatch(/role/i)
  }
})
