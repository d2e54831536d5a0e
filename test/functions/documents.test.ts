import { execFile } from "node:child_process"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { expect, test } from "vitest"
import { ROOT, startReady, withFolder } from "../support/start.ts"

const shell = promisify(execFile)

test("shows in docs/functions.md commands that work from the first to the last", () =>
  withFolder(async (folder) => {
    const { stop } = await startReady(join(folder, ".sealway"))
    const text = await readFile(join(ROOT, "docs/functions.md"), "utf8")
    const blocks = [...text.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, commands = ""]) => commands)
    const cli = `"${process.execPath}" "${join(ROOT, "packages/clients/cli/bin/sealway.mjs")}"`
    const script = ["set -eu", ". .sealway/env", ...blocks]
      .join("\n")
      .replaceAll("npx sealway", cli)
      .replaceAll("curl ", "curl -sS --fail-with-body ")
    const { stdout } = await shell("bash", ["-c", script], { cwd: folder })
    await stop()
    expect(stdout).toMatch(/charge\tnode@24\tready\t1\t/)
    expect(stdout.match(/"status":"success","result":\{"greeting":"Hello Ada"/g)).toHaveLength(3)
    expect(stdout).toContain('{"status":"scheduled"}')
    expect(stdout).toMatch(/"secret":"whsec_/)
  }))
