import { stderr, stdin, stdout } from "node:process"
import { createInterface } from "node:readline/promises"
import { setTimeout as sleep } from "node:timers/promises"
import { parseArgs } from "node:util"
import { connectAccount } from "./aws-account.ts"
import { emptyStage } from "./empty-stage.ts"

const USAGE = `Usage: npm run empty-stage -- --stage <name> [--dry-run] [--yes]

Removes the resources that the service of a stage created while it ran, so that \`npx sst remove --stage <name>\` can remove the stage: customers'
functions with their log groups and code, the relays' CloudFront distribution tenants, and apps' keys in KMS. It can be run again at any time.

  --stage <name>  the stage; a protected one is refused
  --dry-run       only lists
  --yes           does not ask
  --help          prints this
`

const { values } = parseArgs({
  options: {
    stage: { type: "string" },
    "dry-run": { type: "boolean", default: false },
    yes: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
})

async function confirm(question: string): Promise<boolean> {
  const prompt = createInterface({ input: stdin, output: stderr })
  try {
    return /^\s*y(es)?\s*$/i.test(await prompt.question(`${question} [y/N] `))
  } finally {
    prompt.close()
  }
}

if (values.help) stdout.write(USAGE)
else if (values.stage === undefined) {
  stderr.write(USAGE)
  process.exitCode = 2
} else {
  process.exitCode = await emptyStage({
    stage: values.stage,
    isDryRun: values["dry-run"],
    isConfirmed: values.yes,
    confirm: stdin.isTTY === true && stderr.isTTY === true ? confirm : null,
    print: (line) => stdout.write(`${line}\n`),
    sleep: (ms) => sleep(ms),
    connect: (region) => connectAccount(region, process.env.AWS_ENDPOINT_URL),
  }).catch((error: unknown) => {
    stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    return 1
  })
}
