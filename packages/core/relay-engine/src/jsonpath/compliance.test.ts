import { readFileSync } from "node:fs"
import { describe, expect, test } from "vitest"
import { z } from "zod"
import { SelectorError } from "../errors/selector-error.ts"
import { normalizedPath } from "../json/location.ts"
import { readJsonTree } from "../json/read-json-tree.ts"
import { compileJsonPath } from "./compile-json-path.ts"
import { selectNodes } from "./select-nodes.ts"

/** The suite of https://github.com/jsonpath-standard/jsonpath-compliance-test-suite. */
const Suite = z.object({
  tests: z.array(
    z.union([
      z.object({ name: z.string(), selector: z.string(), invalid_selector: z.literal(true) }),
      z
        .object({
          name: z.string(),
          selector: z.string(),
          document: z.unknown(),
          result_paths: z.array(z.string()).optional(),
          results_paths: z.array(z.array(z.string())).optional(),
        })
        .transform(({ result_paths, results_paths, ...rest }) => ({
          ...rest,
          /** Any of these: fields of an object have no order. */
          paths: results_paths ?? [result_paths],
        })),
    ]),
  ),
})

const place = process.env.JSONPATH_CTS

/** Each node has one normalized path, so equal paths mean equal nodes and values. */
function selectedPaths(selector: string, document: unknown): readonly string[] {
  const tree = readJsonTree(Buffer.from(JSON.stringify(document)))
  return selectNodes(compileJsonPath(selector), tree).map((node) => normalizedPath(tree, node))
}

if (place === undefined) {
  test.skipIf(true)(
    "passes the JSONPath compliance suite (skipped: JSONPATH_CTS does not say where its cts.json is)",
    () => {},
  )
} else {
  describe("the JSONPath compliance suite", () => {
    const { tests } = Suite.parse(JSON.parse(readFileSync(place, "utf8")))

    test("is complete", () => {
      expect(tests.length).toBeGreaterThanOrEqual(703)
    })

    test.each(tests)("$name", (each) => {
      if ("paths" in each) {
        expect(each.paths).toContainEqual(selectedPaths(each.selector, each.document))
      } else {
        expect(() => compileJsonPath(each.selector)).toThrow(SelectorError)
      }
    })
  })
}
