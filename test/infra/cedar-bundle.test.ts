import { execFile } from "node:child_process"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { promisify } from "node:util"
import { packFile, writeZip } from "@sealway/functions"
import { afterAll, beforeAll, expect, test } from "vitest"
import { buildFunctions } from "../../stacks/bundles/build-functions.ts"
import { packCedar } from "../../stacks/bundles/cedar.ts"
import { FUNCTION_FILE } from "../../stacks/bundles/function-bundle.ts"
import { unpackZip } from "./unpack-zip.ts"

/** Traps Cedar with a text that no caller can send, because the checks of policies refuse it, then decides. */
const SOURCE = `
import { instantiateCedar } from "./packages/service/policies/src/cedar/cedar.ts"
import { createCedarSession } from "./packages/service/policies/src/cedar/cedar-session.ts"
import { policySetOf } from "./packages/service/policies/src/rules/policy-set.ts"

const rule = { id: "policy_1", name: "Anybody", effect: "permit", conditions: {}, cedar: null } as const
const question = { appId: "app_1", role: "pci", context: { source: "api", ip: null, apiKeyId: null }, timeMs: 0 } as const
const nested = "permit(principal, action, resource) when {" + "(".repeat(600) + "true" + ")".repeat(600) + "};"

export function handler() {
  const session = createCedarSession(instantiateCedar)
  const before = session.engine.decide(policySetOf([rule]), question).decision
  let trap = null
  try {
    session.cedar().policySetTextToParts(nested)
  } catch (error) {
    trap = error instanceof Error ? error.name : null
  }
  const after = session.engine.decide(policySetOf([rule]), question).decision
  return { before, trap, after }
}
`

let folder: string
beforeAll(async () => {
  // Outside the project, so that nothing is found in its node_modules.
  folder = await mkdtemp(join(tmpdir(), "sealway-cedar-bundle-"))
  const [built] = await buildFunctions([{ functionName: "decide", source: SOURCE, grants: null }])
  if (built === undefined) throw new Error("There is no bundle")
  expect(built.loadsCedar).toBe(true)
  await unpackZip(writeZip([await packFile(FUNCTION_FILE, built.code), ...(await packCedar())]), folder)
}, 120_000)
afterAll(() => rm(folder, { recursive: true, force: true }))

test("decides again in a bundle after Cedar trapped in it", async () => {
  const file = pathToFileURL(join(folder, FUNCTION_FILE)).href
  const script = `import { handler } from ${JSON.stringify(file)}; console.log(JSON.stringify(handler()))`
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", script], {
    cwd: folder,
    env: {},
  })
  expect(JSON.parse(stdout)).toEqual({ before: "permit", trap: "CedarTrapError", after: "permit" })
})
