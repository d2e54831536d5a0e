import { mkdtempSync, rmSync } from "node:fs"
import { readFile, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { buildApp } from "../stacks/app.ts"
import { findFunctions } from "../stacks/bundles/find-functions.ts"
import { bundlesOf } from "../test/infra/made-up-stage.ts"
import { SIZED_STAGES } from "./check-stacks/stage-kinds.ts"
import { fillDeploymentPage } from "./stage-size/page.ts"
import { readTemplates } from "./stage-size/read-templates.ts"

const PAGE = new URL("../docs/deployment.md", import.meta.url)

const USAGE = `Usage: node scripts/run.mjs scripts/stage-size.ts

Synthesizes stages, counts what they take of AWS's quotas and cost without requests, and writes the tables into docs/deployment.md.
`
const { values } = parseArgs({ options: { help: { type: "boolean", default: false } } })
if (values.help) process.stdout.write(USAGE)
else {
  const folder = mkdtempSync(join(tmpdir(), "sealway-stage-size-"))
  try {
    process.env.CDK_VALIDATION = "false"
    const bundles = bundlesOf(
      folder,
      (await findFunctions()).map(({ functionName }) => functionName),
    )
    const stages = new Map(
      [...SIZED_STAGES].map(([title, stage]) => {
        const outFolder = mkdtempSync(join(folder, "assembly-"))
        buildApp({ stage, outFolder, bundles }).synth()
        return [title, readTemplates(outFolder)] as const
      }),
    )
    await writeFile(PAGE, fillDeploymentPage(await readFile(PAGE, "utf8"), stages))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
