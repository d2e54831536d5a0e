import { stderr, stdout } from "node:process"
import { parseArgs } from "node:util"
import { CloudFormationClient } from "@aws-sdk/client-cloudformation"
import { S3Client } from "@aws-sdk/client-s3"
import { PROJECT_ROOT } from "../../stacks/bundles/project-root.ts"
import { resolveStage, type StageConfig } from "../../stacks/config.ts"
import { readAssembly } from "../assembly.ts"
import { synthesize } from "../synth.ts"
import { connectStacks } from "./deployed-stacks.ts"
import { diffStage } from "./diff-stage.ts"
import { COLOURS, NO_COLOURS, renderDiff } from "./render-diff.ts"

const USAGE = `Usage: npm run stage -- <command> --stage <name>

  diff              says what \`npx sst deploy --stage <name>\` would do with each resource of the stage, and changes nothing: CloudFormation
                    compares the stacks. Replaced and removed resources are red. Then come the statements of policies that are added and
                    removed
  upload-dashboard  builds the dashboard and uploads it into the stage's bucket, after a deployment without SST

  --stage <name>    the stage
  --help            prints this
`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { stage: { type: "string" }, help: { type: "boolean", default: false } },
})

async function diff({ stage, region }: StageConfig): Promise<string> {
  const assembly = await readAssembly(
    await synthesize({ root: PROJECT_ROOT, stage, environment: process.env }),
  )
  const changes = await diffStage(stage, assembly, connectStacks(region, process.env.AWS_ENDPOINT_URL))
  return renderDiff(changes, stdout.isTTY && !process.env.NO_COLOR ? COLOURS : NO_COLOURS)
}

async function upload({ stage, region }: StageConfig): Promise<string> {
  // It brings the CDK along, which takes a second to load.
  const { uploadDashboard } = await import("./upload-dashboard.ts")
  const clients = { cloudFormation: new CloudFormationClient({ region }), s3: new S3Client({ region }) }
  return `${await uploadDashboard(stage, clients)} files are uploaded.\n`
}

const COMMANDS = new Map([
  ["diff", diff],
  ["upload-dashboard", upload],
])

const [name = "", ...others] = positionals
const command = COMMANDS.get(name)
if (values.help) stdout.write(USAGE)
else if (command === undefined || others.length > 0 || values.stage === undefined) {
  stderr.write(USAGE)
  process.exitCode = 2
} else {
  try {
    stdout.write(await command(resolveStage(values.stage)))
  } catch (error) {
    stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    process.exitCode = 1
  }
}
