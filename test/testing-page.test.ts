import { execFile } from "node:child_process"
import { globSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { describe, expect, test } from "vitest"
import * as z from "zod"
import { MUTATION_AREAS } from "../scripts/mutate/areas.ts"
import { EVERYTHING, isSampled } from "../scripts/mutate/sample.ts"
import { ROOT } from "./support/start.ts"

const shell = promisify(execFile)
const page = await readFile(join(ROOT, "docs/testing.md"), "utf8")

/** The lines of the page's `sh` blocks, each of which starts what takes minutes. */
const commands = [...page.matchAll(/^```sh\n(.*?)^```$/gms)].flatMap(([, block = ""]) =>
  block.trim().split("\n"),
)
const isThere = (pattern: string) => globSync(pattern, { cwd: ROOT }).length > 0

describe("docs/testing.md", () => {
  test("shows commands of scripts that exist", async () => {
    const { scripts } = z
      .object({ scripts: z.record(z.string(), z.string()) })
      .parse(JSON.parse(await readFile(join(ROOT, "package.json"), "utf8")))
    expect(commands.length).toBeGreaterThan(5)
    for (const command of commands) {
      const [, script = "test"] = /^npm (?:run (\S+)|test)/.exec(command) ?? []
      expect(Object.keys(scripts), command).toContain(script)
    }
  })

  test("shows commands for files, areas and titles that exist", async () => {
    const sources = globSync(["packages/*/*/src/**/*.test.ts", "test/**/*.test.ts"], { cwd: ROOT })
    const titles = (await Promise.all(sources.map((file) => readFile(join(ROOT, file), "utf8")))).join("\n")
    for (const command of commands) {
      for (const [path = ""] of command.matchAll(/(packages|test)\/[\w./-]+/g)) {
        expect(isThere(path), path).toBe(true)
      }
      const [, area] = /^npm run mutate -- ([a-z]+)/.exec(command) ?? []
      if (area !== undefined) expect([...MUTATION_AREAS.keys()], command).toContain(area)
      const [, title] = / -t "(.+)"/.exec(command) ?? []
      if (title !== undefined) expect(titles, command).toContain(title)
    }
  })

  test("gives a score for each area or says that there is none, and names only places that exist", () => {
    const scored = [...page.matchAll(/^\| `([a-z-]+)` \| (?:\d+ %|not measured)/gm)].map(([, area]) => area)
    expect(scored).toEqual([...MUTATION_AREAS.keys()])
    for (const [, place = ""] of page.matchAll(/`((?:packages|test|scripts)\/[^`]+)`/g)) {
      expect(isThere(place), place).toBe(true)
    }
  })
})

describe("npm run mutate", () => {
  test("lists its areas in the help, and refuses others with status 2", async () => {
    const run = (...args: readonly string[]) =>
      shell(process.execPath, [join(ROOT, "scripts/mutate.ts"), ...args], { cwd: ROOT })
    const { stdout } = await run("--help")
    for (const area of MUTATION_AREAS.keys()) expect(stdout).toContain(area)
    await expect(run("everything")).rejects.toMatchObject({ code: 2 })
    await expect(run("--files", "packages/core/tokens/src/crypto/curve.ts")).rejects.toMatchObject({
      code: 2,
    })
    await expect(run("once", "--sample", "0")).rejects.toMatchObject({ code: 2 })
  })

  test("samples the given share of the changes, and the same ones for a seed", () => {
    const mutants = Array.from({ length: 2_000 }, (_, line) => ({
      location: { start: { line, column: 4 } },
      mutatorName: "ArithmeticOperator",
      replacement: "a - b",
    }))
    const sampled = (seed: number) => mutants.filter((mutant) => isSampled(mutant, { percent: 10, seed }))
    expect(sampled(1).length).toBeGreaterThan(140)
    expect(sampled(1).length).toBeLessThan(260)
    expect(sampled(1)).toEqual(sampled(1))
    expect(sampled(2)).not.toEqual(sampled(1))
    expect(mutants.filter((mutant) => isSampled(mutant, EVERYTHING))).toEqual(mutants)
  })

  test.each([...MUTATION_AREAS])("has code and tests for the area %s", (_name, { code, tests }) => {
    for (const pattern of [...code, ...tests]) expect(isThere(pattern.replace(/^!/, "")), pattern).toBe(true)
  })
})
