import { serviceEndpoints } from "@sealway/api"
import { expect, test } from "vitest"
import * as z from "zod"

/** Names and descriptions that people read. */
const SHOWN = /^(?:name|description|legalName|shortName)$/
/** Names of headers in a sample of a message, which is not stored. */
const NOT_STORED: ReadonlySet<string> = new Set(["test-relay"])

/** Finds the schemas of names in a JSON schema, however deep. */
function* namesIn(schema: unknown, path = ""): Generator<readonly [string, unknown]> {
  if (typeof schema !== "object" || schema === null) return
  for (const [key, value] of Object.entries(schema)) {
    if (SHOWN.test(key) && typeof value === "object" && path.endsWith("/properties"))
      yield [`${path}/${key}`, value]
    yield* namesIn(value, `${path}/${key}`)
  }
}

test("no name that a caller sets can change what is shown around it", () => {
  const open: string[] = []
  let count = 0
  for (const { id, request } of serviceEndpoints) {
    if (request.body?.kind !== "object" || NOT_STORED.has(id)) continue
    const schema = z.toJSONSchema(request.body.schema, { io: "input", unrepresentable: "any" })
    for (const [path, found] of namesIn(schema)) {
      count++
      const text = JSON.stringify(found)
      const patterns = [...text.matchAll(/"pattern":("(?:[^"\\]|\\.)*")/g)].map(
        ([, quoted = '""']) => new RegExp(z.string().parse(JSON.parse(quoted)), "u"),
      )
      if (!patterns.some((pattern) => !pattern.test("a\u202eb"))) open.push(`${id} ${path}`)
    }
  }
  expect(count).toBeGreaterThan(15)
  expect(open).toEqual([])
})
