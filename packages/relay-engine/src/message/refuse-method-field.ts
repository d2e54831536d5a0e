import { Pace, type Work } from "@sealway/kernel"
import type { LocatedBody } from "../body/located-body.ts"
import { RelayError } from "../errors/relay-error.ts"
import { isMethodChange } from "../routes/rerouting-headers.ts"

const VALUES_PER_STEP = 64

/**
 * @throws RelayError `bad-request` when a form tells its destination to treat the request as one with another method,
 * which has other routes
 */
export function* refuseMethodField(form: LocatedBody): Work<void> {
  const pace = new Pace(VALUES_PER_STEP)
  for (const values of [form.selected, form.unselected()]) {
    for (const value of values) {
      if (pace.isDue(value.end - value.start)) yield
      const read = form.looseText(value)
      const text = Buffer.isBuffer(read) ? read : yield* read
      if (!isMethodChange(form.path(value), text.toString())) continue
      throw new RelayError("bad-request", "The form overrides the request's method.")
    }
  }
}
