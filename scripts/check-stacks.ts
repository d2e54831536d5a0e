import { stderr, stdout } from "node:process"
import { parseArgs } from "node:util"
import { PROJECT_ROOT } from "../stacks/bundles/project-root.ts"
import { findPythonTool, installationOf, installPythonTool } from "./python-tool.ts"

const USAGE = `Usage: npm run check:stacks -- [--install]

Synthesizes every kind of stage and checks its templates with cfn-lint, which knows what CloudFormation accepts. Without cfn-lint, it
says so and exits with status 0.

  --install  installs cfn-lint into node_modules/.cache, if it is missing
  --help     prints this
`
const CFN_LINT = {
  packageName: "cfn-lint",
  requirements: ["cfn-lint==1.58.0"],
  command: "cfn-lint",
  variable: "CFN_LINT",
} as const

const { values } = parseArgs({
  options: { install: { type: "boolean", default: false }, help: { type: "boolean", default: false } },
})
if (values.help) stdout.write(USAGE)
else {
  const command =
    findPythonTool(CFN_LINT, PROJECT_ROOT, process.env) ??
    (values.install ? installPythonTool(CFN_LINT, PROJECT_ROOT, process.env) : null)
  if (command === null) {
    stderr.write(`Skipped: cfn-lint is not installed. Install it with:\n  ${installationOf(CFN_LINT)}\n`)
  } else {
    const { checkStacks } = await import("./check-stacks/check.ts")
    const isGood = await checkStacks(command, (line) => stdout.write(`${line}\n`))
    process.exitCode = isGood ? 0 : 1
  }
}
