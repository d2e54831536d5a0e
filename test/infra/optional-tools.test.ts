import { execFile } from "node:child_process"
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { promisify } from "node:util"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { lint } from "../../scripts/check-stacks/lint.ts"
import { findPythonTool, installPythonTool } from "../../scripts/python-tool.ts"
import { ROOT } from "../support/start.ts"

const TOOL = {
  packageName: "some-tool",
  requirements: ["some-tool==1.2.3"],
  command: "some-tool-command",
  variable: "SOME_TOOL",
} as const

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "sealway-tools-"))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

async function program(path: string, script: string): Promise<string> {
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, `#!/bin/sh\n${script}\n`)
  await chmod(path, 0o755)
  return path
}

describe("a tool written in Python", () => {
  test("is found where its variable says, else in the project's own environment, else on the PATH", async () => {
    const own = join(folder, "node_modules", ".cache", "some-tool", "bin", "some-tool-command")
    const environment = { PATH: [join(folder, "path"), process.env.PATH].join(":") }
    expect(findPythonTool(TOOL, folder, environment)).toBeNull()
    await program(join(folder, "path", "some-tool-command"), "exit 0")
    expect(findPythonTool(TOOL, folder, environment)).toBe("some-tool-command")
    await program(own, "exit 0")
    expect(findPythonTool(TOOL, folder, environment)).toBe(own)
    const said = await program(join(folder, "said"), "exit 0")
    expect(findPythonTool(TOOL, folder, { ...environment, SOME_TOOL: said })).toBe(said)
  })

  test("is installed into the project's own environment, in the version that is named", async () => {
    const pip = `#!/bin/sh\necho "$@" > ${folder}/asked; printf '#!/bin/sh\\n' > "$(dirname "$0")/some-tool-command"; chmod +x "$(dirname "$0")/some-tool-command"`
    await writeFile(join(folder, "pip"), pip)
    await program(
      join(folder, "path", "python3"),
      `mkdir -p "$3/bin" && cp ${folder}/pip "$3/bin" && chmod +x "$3/bin/pip"`,
    )
    const environment = { PATH: [join(folder, "path"), process.env.PATH].join(":") }
    const own = join(folder, "node_modules/.cache/some-tool/bin/some-tool-command")
    expect(installPythonTool(TOOL, folder, environment)).toBe(own)
    expect(await readFile(join(folder, "asked"), "utf8")).toBe("install --quiet some-tool==1.2.3\n")
  })

  test("counts as missing when Python cannot install it", async () => {
    await program(join(folder, "path", "python3"), "exit 1")
    expect(installPythonTool(TOOL, folder, { PATH: join(folder, "path") })).toBeNull()
  })

  test("counts as missing when it exists and does not run", async () => {
    const broken = await program(join(folder, "broken"), "exit 1")
    expect(findPythonTool(TOOL, folder, { ...process.env, SOME_TOOL: broken })).toBeNull()
  })
})

test.each([
  ["scripts/check-stacks.ts", "CFN_LINT", "cfn-lint"],
  ["scripts/test-emulator.ts", "MINISTACK", "ministack"],
])("passes %s when it is missing, and says how to install it", async (script, variable, packageName) => {
  const command = [join("scripts", "run.mjs"), script]
  const { stdout, stderr } = await promisify(execFile)(process.execPath, command, {
    cwd: ROOT,
    env: { ...process.env, [variable]: join(folder, "nowhere") },
  })
  expect(stdout).toBe("")
  expect(stderr).toMatch(/^Skipped: /)
  expect(stderr).toContain(`pip install ${packageName}`)
})

describe("a result of cfn-lint", () => {
  test("is reported with rule, template and place", async () => {
    const finding = {
      Filename: "a.template.json",
      Message: "wrong",
      Rule: { Id: "E3002" },
      Location: { Path: ["Resources", "Bucket", 0] },
    }
    const command = await program(join(folder, "lint"), `echo '${JSON.stringify([finding])}'; exit 2`)
    expect(lint(command, "us-east-1", ["a.template.json"])).toEqual([
      { rule: "E3002", message: "wrong", template: "a.template.json", place: "Resources/Bucket/0" },
    ])
  })

  test("is never empty when it fails", async () => {
    const command = await program(join(folder, "lint"), "echo broken >&2; exit 1")
    expect(() => lint(command, "us-east-1", [])).toThrow("cfn-lint does not answer as expected: broken")
    expect(() => lint(join(folder, "nowhere"), "us-east-1", [])).toThrow("ENOENT")
  })
})
