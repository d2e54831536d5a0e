import { execFile, spawnSync } from "node:child_process"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { SCOPES } from "@sealway/accounts/scopes"
import { describe, expect, test } from "vitest"
import { withFolder } from "../support/start.ts"
import { run } from "./cli.ts"

const execute = promisify(execFile)
const isInstalled = (shell: string) => spawnSync(shell, ["-c", "true"]).status === 0

const scriptOf = async (shell: string) => {
  const { exitCode, stdout, stderr } = await run(["completion", shell])
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" })
  return stdout
}

/** Returns what bash offers at the end of a line, as readline asks for it. */
async function completionsIn(script: string, lines: readonly string[]): Promise<string[][]> {
  return withFolder(async (folder) => {
    await writeFile(join(folder, "completion"), script)
    const asks = lines.map(
      (line) =>
        `COMP_LINE=${JSON.stringify(line)}; COMP_POINT=\${#COMP_LINE}; COMPREPLY=(); _sealway; echo "\${COMPREPLY[*]}"`,
    )
    const { stdout, stderr } = await execute(
      "bash",
      ["--norc", "-uc", ["source ./completion", ...asks].join("\n")],
      { cwd: folder },
    )
    expect(stderr).toBe("")
    return stdout
      .split("\n")
      .slice(0, -1)
      .map((line) => line.split(" ").filter((word) => word !== ""))
  })
}

describe("completion in bash", () => {
  const complete = async (...lines: string[]) => completionsIn(await scriptOf("bash"), lines)

  test("offers commands, and their subcommands", async () => {
    const [all, some, below, helped, nothing] = await complete(
      "sealway ",
      "sealway po",
      "sealway keys r",
      "sealway help webhooks l",
      "sealway nothing",
    )
    expect(all).toEqual(expect.arrayContaining(["login", "encrypt", "webhooks", "completion", "help"]))
    expect(some).toEqual(["policies"])
    expect(below).toEqual(["rotate", "revoke"])
    expect(helped).toEqual(["list", "listen"])
    expect(nothing).toEqual([])
  })

  test("offers the flags of the command, and the global ones", async () => {
    const [create, encrypt, afterValue] = await complete(
      "sealway keys create --",
      "sealway encrypt --b",
      "sealway --app keys keys create --na",
    )
    expect(create).toEqual(
      expect.arrayContaining(["--name", "--scope", "--expires", "--profile", "--json", "--help"]),
    )
    expect(create).not.toContain("--overlap")
    expect(encrypt).toEqual(expect.arrayContaining(["--binary"]))
    expect(afterValue).toEqual(["--name"])
  })

  test("offers fixed values, past colons, and several where a flag accepts several", async () => {
    const [shells, types, scopes, narrowed, second, other, alerts] = await complete(
      "sealway completion ",
      "sealway webhooks trigger rel",
      "sealway keys create --scope ",
      "sealway keys create --scope api:de",
      "sealway keys create --scope api:decrypt dataRole:l",
      "sealway keys create --name ",
      "sealway relays activity x --status ",
    )
    expect(shells).toEqual(["bash", "zsh", "fish"])
    expect(types).toEqual(["relay.error"])
    expect(scopes).toEqual([...SCOPES])
    // Readline has split the word at the colon, and replaces the part after it.
    expect(narrowed).toEqual(["decrypt"])
    expect(second).toEqual(["list"])
    expect(other).toEqual([])
    expect(alerts).toContain("5XX")
  })

  test("runs nothing that is typed, and ignores odd lines", async () => {
    const typed = [
      "sealway $(touch made) ",
      "sealway `touch made`",
      'sealway "',
      "sealway * ",
      "sealway keys create --scope $(touch made)",
      "sealway",
      "",
    ]
    await withFolder(async (folder) => {
      await writeFile(join(folder, "completion"), await scriptOf("bash"))
      const quoted = typed.map((line) => `'${line.replaceAll("'", "'\\''")}'`).join(" ")
      const script = `source ./completion; for line in ${quoted}; do COMP_LINE="$line"; COMP_POINT=\${#COMP_LINE}; COMPREPLY=(); _sealway; done; ls`
      const { stdout } = await execute("bash", ["--norc", "-c", script], { cwd: folder })
      expect(stdout).toBe("completion\n")
    })
  })
})

describe.each(["bash", "zsh", "fish"])("the script for %s", (shell) => {
  test.skipIf(!isInstalled(shell))("is valid in the shell", () =>
    withFolder(async (folder) => {
      const path = join(folder, "completion")
      await writeFile(path, await scriptOf(shell))
      await execute(shell, ["-n", path])
    }),
  )

  test("names every command and every flag that the help does", async () => {
    const script = await scriptOf(shell)
    const visit = async (path: readonly string[]): Promise<void> => {
      const { stdout } = await run([...path, "--help"])
      const commands = /\nCommands:\n((?: {2,}.*\n)+)/.exec(stdout)?.[1] ?? ""
      const flags = [...stdout.matchAll(/^ {2}(?:-[a-z], )?--([a-z0-9-]+)/gm)].map(([, name = ""]) => name)
      for (const flag of flags) expect(script).toMatch(new RegExp(`(--|-l )${flag}\\b`))
      for (const [, name = ""] of commands.matchAll(/^ {2}([a-z-]+)/gm)) {
        expect(script).toContain([...path, name].join(" "))
        await visit([...path, name])
      }
    }
    await visit([])
  })
})

test("gives a flag a value in all commands that have it, or in none, which the completion scripts rely on", async () => {
  const kinds = new Map<string, Set<boolean>>()
  const visit = async (path: readonly string[]): Promise<void> => {
    const { stdout } = await run([...path, "--help"])
    for (const [, short = "", long = "", value = ""] of stdout.matchAll(
      /^ {2}(?:(-[a-z]), )?(--[a-z0-9-]+)( [<[])?/gm,
    )) {
      for (const name of [short, long].filter((each) => each !== "")) {
        kinds.set(name, (kinds.get(name) ?? new Set()).add(value !== ""))
      }
    }
    const commands = /\nCommands:\n((?: {2,}.*\n)+)/.exec(stdout)?.[1] ?? ""
    for (const [, name = ""] of commands.matchAll(/^ {2}([a-z-]+)/gm)) await visit([...path, name])
  }
  await visit([])
  expect([...kinds].filter(([, kind]) => kind.size > 1).map(([name]) => name)).toEqual([])
})

test("ends with status 2 for an unknown shell", async () => {
  expect((await run(["completion", "powershell"])).exitCode).toBe(2)
  expect((await run(["completion"])).exitCode).toBe(2)
})
