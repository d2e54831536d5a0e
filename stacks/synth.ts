import { resolve } from "node:path"
import { stdout } from "node:process"
import { parseArgs } from "node:util"
import { buildApp } from "./app.ts"
import { resolveStage } from "./config.ts"
import { prepareStage } from "./prepare-stage.ts"

/**
 * `synth.ts --stage <name> --out <folder>` bundles the functions and writes the cloud assembly of a stage, without
 * credentials and network. With `--compile-caches`, V8's are in the zips. It runs in a separate process because the CDK does not
 * survive being bundled into `sst.config.ts`.
 */
const { values } = parseArgs({
  options: { stage: { type: "string" }, out: { type: "string" }, "compile-caches": { type: "boolean" } },
})
if (values.stage === undefined || values.out === undefined) {
  throw new Error("It takes --stage <name> and --out <folder>.")
}
const stage = resolveStage(values.stage)
const outFolder = resolve(values.out)
const bundles = await prepareStage(stage, outFolder, values["compile-caches"] === true)
const assembly = buildApp({ stage, outFolder, bundles }).synth()
stdout.write(
  `${JSON.stringify({
    assembly: assembly.directory,
    stage: stage.stage,
    region: stage.region,
    stacks: assembly.stacks.map(({ stackName }) => stackName),
  })}\n`,
)
