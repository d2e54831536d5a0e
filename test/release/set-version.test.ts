import { cpSync, globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { describe, expect, test } from "vitest"
import { faultsOfVersions, releasesIn, setVersion } from "../../scripts/release/versions.ts"
import { ROOT, withFolder } from "../support/start.ts"

const MANIFESTS = [
  ...["package.json", "package-lock.json", "clients/python/src/sealway/_version.py"],
  ...globSync("packages/*/*/package.json", { cwd: ROOT }),
]

const withManifests = (use: (root: string) => void) =>
  withFolder(async (root) => {
    for (const path of MANIFESTS) {
      mkdirSync(dirname(join(root, path)), { recursive: true })
      cpSync(join(ROOT, path), join(root, path))
    }
    use(root)
  })

describe("a new version", () => {
  test("is given to every package and its dependents, and to no others", () =>
    withManifests((root) => {
      const before = MANIFESTS.map((path) => readFileSync(join(root, path), "utf8"))
      const { version } = JSON.parse(before[0] ?? "")

      setVersion(root, "9.8.7")

      expect(faultsOfVersions(root)).toEqual([])
      expect(JSON.parse(readFileSync(join(root, "package.json"), "utf8")).version).toBe("9.8.7")
      setVersion(root, version)
      expect(MANIFESTS.map((path) => readFileSync(join(root, path), "utf8"))).toEqual(before)
    }))

  test.each([
    ["packages/core/kernel/package.json", '"version": "', "packages/core/kernel/package.json: version"],
    [
      "packages/hosts/local/package.json",
      '"@sealway/kernel": "',
      "packages/hosts/local/package.json: @sealway/kernel",
    ],
    ["package-lock.json", '"version": "', "package-lock.json: version"],
    [
      "clients/python/src/sealway/_version.py",
      '__version__ = "',
      "clients/python/src/sealway/_version.py: version",
    ],
  ])("is refused when %s does not have it", (path, before, fault) =>
    withManifests((root) => {
      setVersion(root, "9.8.7")
      replace(join(root, path), `${before}9.8.7"`, `${before}9.8.6"`)
      expect(faultsOfVersions(root)).toEqual([`${fault} 9.8.6`])
    }),
  )
})

test("is found in a changelog by its numbered sections, with their days", () => {
  const changelog = "# Changelog\n\n## [Unreleased]\n\n## [0.10.0] - 2026-01-31\n\n### Added\n\n## [0.9.1]\n"
  expect(releasesIn(changelog)).toEqual([
    { version: "0.10.0", date: "2026-01-31" },
    { version: "0.9.1", date: null },
  ])
})

function replace(path: string, text: string, by: string): void {
  const content = readFileSync(path, "utf8")
  expect(content).toContain(text)
  writeFileSync(path, content.replace(text, by))
}
