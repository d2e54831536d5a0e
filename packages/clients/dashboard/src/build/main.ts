import { parseArgs } from "node:util"
import { buildDashboard } from "./build-dashboard.ts"

const USAGE = "usage: node packages/clients/dashboard/src/build/main.ts FOLDER [--api-path /api]\n"

/** Builds the page into a folder. A process of its own, so that a service neither waits for it nor keeps its memory. */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { "api-path": { type: "string" } },
})
const [folder] = positionals
if (folder === undefined || positionals.length !== 1) {
  process.stderr.write(USAGE)
  process.exitCode = 2
} else {
  await buildDashboard({ folder, apiPath: values["api-path"] ?? "" })
}
