import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { stderr, stdout } from "node:process"
import { parseArgs } from "node:util"
import { PROJECT_ROOT } from "../stacks/bundles/project-root.ts"
import { findPythonTool, installationOf, installPythonTool } from "./python-tool.ts"
import { MINISTACK } from "./test-emulator/ministack.ts"

const USAGE = `Usage: npm run test:emulator -- [--install] [--log]

Deploys a stage with a domain, relays and a dashboard to MiniStack, an emulator of AWS that others wrote, on loopback: the synthesized templates and the
bundles as they are, but for a list that it prints. Then it uses the service, empties the stage and removes it. Without the
emulator it says so and exits with status 0.

  --install  installs the emulator into node_modules/.cache, if it is missing
  --log      prints the last lines that the emulator wrote, when something fails
  --help     prints this
`

const { values } = parseArgs({
  options: {
    install: { type: "boolean", default: false },
    log: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
})

if (values.help) stdout.write(USAGE)
else {
  const command =
    findPythonTool(MINISTACK, PROJECT_ROOT, process.env) ??
    (values.install ? installPythonTool(MINISTACK, PROJECT_ROOT, process.env) : null)
  if (command === null) {
    stderr.write(`Skipped: MiniStack is not installed. Install it with:\n  ${installationOf(MINISTACK)}\n`)
  } else {
    const { tryStage } = await import("./test-emulator/try-stage.ts")
    const folder = mkdtempSync(join(tmpdir(), "sealway-emulator-"))
    try {
      await tryStage({ command, folder, say: (line) => stdout.write(`${line}\n`) })
    } catch (error) {
      process.exitCode = 1
      stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`)
      if (values.log) {
        const { lastLines } = await import("./test-emulator/emulator.ts")
        stderr.write(await lastLines(folder))
      }
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  }
}
