import { execFile } from "node:child_process"
import { join } from "node:path"
import { promisify } from "node:util"
import { describe, expect, test } from "vitest"
import { run } from "../cli/cli.ts"
import { ROOT, withFolder } from "../support/start.ts"
import { commandsOf, treat } from "./classify.ts"
import { OTHER_FLAGS, readCommandTree } from "./known-commands.ts"
import { NOT_RUN } from "./not-run.ts"
import { PASTED_PAGES } from "./pasted-pages.ts"
import { PAGES, parseDocument, readDocument } from "./read-documents.ts"
import { isEndless, useExamples } from "./use-examples.ts"

const shell = promisify(execFile)
const tree = await readCommandTree()
const documents = PAGES.map(readDocument)
const shown = documents.flatMap((document) =>
  commandsOf(document, tree).map((command) => ({
    page: document.page,
    command,
    treatment: treat(command, tree),
  })),
)
const of = <Kind extends string>(kind: Kind) => [
  ...new Map(
    shown.filter(({ treatment }) => treatment.kind === kind).map((each) => [each.command, each]),
  ).values(),
]

/** Blocks without a language hold commands that nobody pastes as a whole. */
const COMMANDS = ["sh", "text", ""]
const CODE = [
  "js",
  "ts",
  "tsx",
  "html",
  "python",
  "go",
  "java",
  "ruby",
  "php",
  "swift",
  "kotlin",
  "json",
  "yaml",
  "mermaid",
]

describe("a command that a page shows", () => {
  test("is known, with each of its flags", () => {
    expect(shown.length).toBeGreaterThan(80)
    expect(of("wrong").map(({ page, command, treatment }) => ({ page, command, ...treatment }))).toEqual([])
  })

  test("is run, unless it is listed with a reason", () => {
    const reasons = new Map<string, string[]>()
    for (const { command, treatment } of of("not-run")) {
      if (treatment.kind !== "not-run") continue
      reasons.set(treatment.reason, [...(reasons.get(treatment.reason) ?? []), command])
    }
    const lines = [...reasons].map(([reason, commands]) => `${reason}:\n    ${commands.join("\n    ")}`)
    process.stdout.write(
      `Commands that the pages show, checked and not run, since it\n  ${lines.join("\n  ")}\n`,
    )
    const unused = NOT_RUN.filter(
      ({ command: known }) =>
        !shown.some(({ command }) => (typeof known === "string" ? known === command : known.test(command))),
    )
    expect(unused).toEqual([])
  })

  test("is in a block whose language says so: blocks of other languages are not searched", () => {
    const languages = new Set(documents.flatMap(({ blocks }) => blocks.map(({ language }) => language)))
    expect(
      [...languages].filter((language) => !COMMANDS.includes(language) && !CODE.includes(language)),
    ).toEqual([])
  })

  test("is in a block that its page's test pastes, or alone", async () => {
    for (const [page, file] of PASTED_PAGES) {
      expect(PAGES, page).toContain(page)
      const { stdout } = await shell("grep", ["-c", page.replace("docs/", ""), join(ROOT, file)])
      expect(Number(stdout), `${file} pastes ${page}`).toBeGreaterThan(0)
    }
  })
})

describe("a command of sealway that a page shows works", () => {
  const examples = useExamples()

  test.each(of("run").filter(({ treatment }) => treatment.kind === "run"))(
    "$page: $command",
    ({ command, treatment }) =>
      withFolder(async (folder) => {
        if (treatment.kind !== "run") return
        if (!isSealways(command)) return void (await runOther(treatment.args))
        await examples.writeFiles(folder)
        const result = await examples.run(treatment.args, folder, profileOf(command))
        expect(result, result.stderr).toMatchObject({ exitCode: isEndless(treatment.args) ? 130 : 0 })
      }),
  )

  test.each(of("named").filter(({ command }) => isSealways(command)))(
    "$page names $command, which has help",
    async ({ treatment }) => {
      const path = treatment.kind === "named" ? treatment.path.split(" ").filter(Boolean) : []
      expect(await run([...path, "--help"])).toMatchObject({ exitCode: 0 })
    },
  )
})

describe("the check detects", () => {
  const treatmentOf = (text: string) => {
    const [command = ""] = commandsOf(parseDocument("docs/new.md", text), tree)
    return command === "" ? null : treat(command, tree).kind
  }

  test.each([
    "`npx sealway nothing`",
    "``npx sealway `nothing` ``",
    "Do this:\n\n    npx sealway nothing\n",
    "- first\n  ```sh\n  npx sealway nothing\n  ```\n",
    "`sealway keys nothing`",
    "`keys nothing <id>`",
    "`npx sealway keys list --colour`",
    "| a table | `audit list --nothing` |",
    "```sh\nnpx sealway keys list --colour\n```",
    "```\nnpx sst destroy --stage dev\n```",
    "```\naws dynamodb restore-everything\n```",
    "`aws kms enable-key --key <KmsKey>`",
    "`npx cowsay hello`",
    "`npm run nothing`",
    "`npm start -- --nothing`",
    "`npm test -- packages/nothing`",
    "`node examples/nothing.mjs`",
    "`curl --nothing-of-curl x`",
    "`kubectl get pods --all`",
    "```\nkubectl get pods\n```",
    "`npx sealway apps list | nothing -f1`",
  ])("that %s is not a command", (text) => {
    expect(treatmentOf(text)).toBe("wrong")
  })

  test.each([
    "`encrypt(value, role?)`",
    "`{data, hasMore}`",
    "`node@24`",
    "`sealway`",
    "`ev:debug`",
    "`--json`",
  ])("that %s is not a command of any program", (text) => {
    expect(treatmentOf(text)).toBeNull()
  })
})

describe("a flag that a page names alone", () => {
  test("is one of a command of this repository, or of the program that the page describes", () => {
    const known = new Set([...tree.values(), OTHER_FLAGS].flatMap((flags) => [...flags]))
    const named = documents.flatMap(({ page, spans }) =>
      spans.flatMap((span) => {
        const [, flag] = /^(--[a-z][\w-]*)(?:[ =].*)?$/.exec(span) ?? []
        return flag === undefined ? [] : [{ page, flag }]
      }),
    )
    expect(named.length).toBeGreaterThan(20)
    expect(named.filter(({ flag }) => !known.has(flag))).toEqual([])
  })
})

function isSealways(command: string): boolean {
  const [first = ""] = command
    .replace(/^(?:SEALWAY_PROFILE=\S+ |npx |source <\(|(?!sealway).* \| )/, "")
    .split(" ")
  return first === "sealway" || tree.has(first)
}

async function runOther([program = "", ...args]: readonly string[]): Promise<void> {
  expect(args, program).toContain("--help")
  const { stdout } = await shell(program, args, { cwd: ROOT })
  expect(stdout).toContain("--help")
}

function profileOf(command: string): string | undefined {
  return /^SEALWAY_PROFILE=(\S+) /.exec(command)?.[1]
}
