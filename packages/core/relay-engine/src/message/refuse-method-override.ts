import { Pace, type Work } from "@sealway/kernel"
import type { InspectedBody } from "../body/located-body.ts"
import { RelayError } from "../errors/relay-error.ts"
import { JsonTree } from "../json/json-tree.ts"
import { readJsonRows } from "../json/read-json-tree.ts"
import { isMethodOverride } from "../routes/rerouting-headers.ts"
import { NONE } from "../tree/tree.ts"

const VALUES_PER_STEP = 64
const ROOT = 0

/**
 * @param method the request's
 * @throws RelayError `bad-request` when a form tells its destination to treat the request as one with another method,
 * which has other routes
 */
export function* refuseMethodInForm(form: InspectedBody, method: string): Work<void> {
  const pace = new Pace(VALUES_PER_STEP)
  for (const values of [form.selected, form.unselected()]) {
    for (const value of values) {
      if (pace.isDue(value.end - value.start)) yield
      const read = form.looseText(value)
      const text = Buffer.isBuffer(read) ? read : yield* read
      if (isMethodOverride(form.path(value), text.toString(), method)) throw overridden("form")
    }
  }
}

/**
 * The same for JSON, which Laravel and others read like a form: its fields, not those within them.
 *
 * @throws RelayError `bad-request`
 */
export function* refuseMethodInJson(bytes: Buffer, method: string): Work<void> {
  const tree = new JsonTree(bytes, yield* readJsonRows(bytes))
  if (tree.kind(ROOT) !== "object") return
  const pace = new Pace(VALUES_PER_STEP)
  for (let field = tree.firstChild(ROOT); field !== NONE; field = tree.nextSibling(field)) {
    if (pace.isDue()) yield
    const text = tree.isValue(field) ? String(tree.scalar(field)) : ""
    if (isMethodOverride(tree.name(field), text, method)) throw overridden("JSON")
  }
}

function overridden(format: string): RelayError {
  return new RelayError(
    "bad-request",
    `The ${format} overrides the request's method, and the path has a route for another one.`,
  )
}
