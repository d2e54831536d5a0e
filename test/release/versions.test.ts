import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { writeOpenApiDocument } from "@sealway/api"
import { VERSION } from "@sealway/local/testing"
import { describe, expect, test } from "vitest"
import * as z from "zod"
import { faultsOfVersions, releasesIn } from "../../scripts/release/versions.ts"
import { run } from "../cli/cli.ts"
import { ROOT } from "../support/start.ts"

const read = (path: string) => readFileSync(join(ROOT, path), "utf8")
const { version } = z.object({ version: z.string() }).parse(JSON.parse(read("package.json")))

test("gives every package and its dependents the version of the whole, in the lockfile too", () => {
  expect(faultsOfVersions(ROOT)).toEqual([])
})

test("returns that version from the command, the service and the OpenAPI document", async () => {
  expect((await run(["--version"])).stdout).toBe(`${version}\n`)
  expect(VERSION).toBe(version)
  expect(JSON.parse(writeOpenApiDocument())).toMatchObject({ info: { "x-product-version": version } })
})

describe("CHANGELOG.md", () => {
  const changelog = read("CHANGELOG.md")
  const releases = releasesIn(changelog)

  test("lists releases newest first, each once, with its date", () => {
    const numbers = releases.map((release) => release.version)
    expect(new Set(numbers).size).toBe(numbers.length)
    expect(numbers.toSorted((left, right) => right.localeCompare(left, "en", { numeric: true }))).toEqual(
      numbers,
    )
    expect(releases.filter(({ date }) => date === null)).toEqual([])
  })

  test("begins with the unreleased version, or with that of the packages", () => {
    const [heading = ""] = changelog.match(/^## .*$/m) ?? []
    const newest = releases[0]?.version
    if (heading !== "## [Unreleased]") expect(heading).toMatch(/^## \[\d+\.\d+\.\d+\] - \d{4}-\d{2}-\d{2}$/)
    if (newest !== undefined) expect(newest).toBe(version)
  })

  test("lists no release without a stored data folder and stage for upgrades", () => {
    const kept = new Set(globSync("test/upgrade/{data-folder,stage}-*.zip", { cwd: ROOT }))
    for (const release of releases) {
      if (release.version === "0.1.0") continue
      for (const kind of ["data-folder", "stage"]) {
        expect(kept).toContain(`test/upgrade/${kind}-${release.version}.zip`)
      }
    }
  })
})

test.each(["docs/deployment.md", "docs/operations.md"])("%s names no release that does not exist", (page) => {
  const existing = [version, ...releasesIn(read("CHANGELOG.md")).map((release) => release.version)]
  // Neither part of a longer number, such as an address.
  const named = read(page).match(/(?<![\d.])\d+\.\d+\.\d+(?![\d.])/g) ?? []
  expect(named.filter((each) => !existing.includes(each))).toEqual([])
})
