import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { ROOT } from "../support/start.ts"

const page = readFileSync(join(ROOT, "docs/libraries.md"), "utf8")
const rows = [...page.matchAll(/^\| `(?<library>[^`]+)` \| (?<uses>.+?) \| .*\|$/gm)].map(
  ({ groups: { library = "", uses = "" } = {} }) => ({
    library,
    files: [...uses.matchAll(/`((?:packages|infra|stacks|test)\/[^`]+|[a-z]+\.config\.ts)`/g)].map(
      ([, file = ""]) => file,
    ),
  }),
)
/** Uses a global of SST, which has no import. */
const WITHOUT_IMPORT = ["sst"]

test("docs/libraries.md has a row for each library of the design", () => {
  expect(rows.map(({ library }) => library)).toEqual([
    "@aws-sdk/client-dynamodb",
    "@aws-sdk/client-kms",
    "@aws-sdk/client-sqs",
    "@aws-sdk/client-lambda",
    "@middy/core",
    "zod",
    "jsonpath-plus",
    "fast-xml-parser",
    "vitest",
    "sst",
    "aws-cdk-lib",
  ])
})

test.each(rows)("$library is imported by the files that docs/libraries.md names", ({ library, files }) => {
  expect(files).not.toEqual([])
  for (const file of files) {
    expect(existsSync(join(ROOT, file)), file).toBe(true)
    if (WITHOUT_IMPORT.includes(library)) continue
    expect(readFileSync(join(ROOT, file), "utf8"), file).toMatch(
      new RegExp(`(?:from|import)\\s*\\(?"${library}(?:/[^"]*)?"`),
    )
  }
})
