import { stderr, stdout } from "node:process"
import { parseArgs } from "node:util"
import { PROJECT_ROOT } from "../../stacks/bundles/project-root.ts"
import { resolveStage } from "../../stacks/config.ts"
import { readAssembly } from "../assembly.ts"
import { synthesize } from "../synth.ts"
import { connectStacks } from "./deployed-stacks.ts"
import { diffStage } from "./diff-stage.ts"
import { COLOURS, NO_COLOURS, renderDiff } from "./render-diff.ts"

const USAGE = `Usage: npm run stage -- diff --stage <name>

Says what \`npx sst deploy --stage <name>\` would do with each resource of the stage, and changes nothing: it synthesizes the stacks and has
CloudFormation compare them with those that are deployed. Replaced and removed resources are red. Then come the statements of policies that
are added and removed.

  --stage <name>  the stage
  --help          prints this
`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { stage: { type: "string" }, help: { type: "boolean", default: false } },
})

async function diff(name: string): Promise<string> {
  const { stage, region } = resolveStage(name)
  const assembly = await readAssembly(
    await synthesize({ root: PROJECT_ROOT, stage, environment: process.env }),
  )
  const changes = await diffStage(stage, assembly, connectStacks(region, process.env.AWS_ENDPOINT_URL))
  return renderDiff(changes, stdout.isTTY && !process.env.NO_COLOR ? COLOURS : NO_COLOURS)
}

if (values.help) stdout.write(USAGE)
else if (positionals.join() !== "diff" || values.stage === undefined) {
  stderr.write(USAGE)
  process.exitCode = 2
} else {
  await diff(values.stage).then(
    (text) => stdout.write(text),
    (error: unknown) => {
      stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
      process.exitCode = 1
    },
  )
}
