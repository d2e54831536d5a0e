import { mkdir, writeFile } from "node:fs/promises"
import { join, resolve } from "node:path"
import { stdout } from "node:process"
import { parseArgs } from "node:util"
import { buildApp } from "./app.ts"
import { buildDashboard } from "./build-dashboard.ts"
import { bundleFunctions } from "./bundles/bundle-functions.ts"
import { compileCacheMaker } from "./bundles/compile-cache.ts"
import { BUNDLES_LIST } from "./bundles/function-bundle.ts"
import { requireRecipients, resolveStage } from "./config.ts"
import { stackName } from "./names.ts"
import { dashboardUploads, UPLOADS_LIST } from "./uploads.ts"

/** Next to the templates; what is published is copied from it. */
const BUNDLES = "bundles"
const DASHBOARD = "dashboard"

/**
 * `synth.ts --stage <name> --out <folder>` bundles the functions and writes the cloud assembly of a stage, without
 * credentials and network. `bundles.json`, beside the assembly, lists the bundles and what each is made of, and
 * `uploads.json` what the deployment uploads into buckets of the stacks. With `--compile-caches`, V8's are in the zips, which
 * takes a quarter of a second each. It runs in a separate process because the CDK does not survive being bundled into `sst.config.ts`.
 */
const { values } = parseArgs({
  options: { stage: { type: "string" }, out: { type: "string" }, "compile-caches": { type: "boolean" } },
})
if (values.stage === undefined || values.out === undefined) {
  throw new Error("It takes --stage <name> and --out <folder>.")
}
const stage = resolveStage(values.stage)
requireRecipients(stage)
const outFolder = resolve(values.out)
const bundlesFolder = join(outFolder, BUNDLES)
await mkdir(bundlesFolder, { recursive: true })
const compileCachesBy = values["compile-caches"] === true ? compileCacheMaker(process.env) : null
const bundles = await bundleFunctions(bundlesFolder, { compileCachesBy })
await writeFile(join(outFolder, BUNDLES_LIST), JSON.stringify(bundles))
if (stage.dashboard !== null) {
  await buildDashboard(join(outFolder, DASHBOARD))
  const uploads = await dashboardUploads(outFolder, DASHBOARD, stackName(stage, "dashboard"))
  await writeFile(join(outFolder, UPLOADS_LIST), JSON.stringify([uploads]))
}
const assembly = buildApp({ stage, outFolder, bundles }).synth()
stdout.write(
  `${JSON.stringify({
    assembly: assembly.directory,
    stage: stage.stage,
    region: stage.region,
    stacks: assembly.stacks.map(({ stackName }) => stackName),
  })}\n`,
)
