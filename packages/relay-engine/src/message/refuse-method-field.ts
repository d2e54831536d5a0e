import type { LocatedBody, LocatedValue } from "../located-body.ts"
import { RelayError } from "../relay-error.ts"
import { isMethodChange } from "../routes/rerouting-headers.ts"
import type { BodyFormat } from "./body-format.ts"

/**
 * @throws RelayError `bad-request` when a form tells its destination to take the request for one of another method,
 * which has other routes
 */
export function refuseMethodField(format: BodyFormat, body: LocatedBody): void {
  if (format !== "urlencoded" && format !== "multipart") return
  const check = (value: LocatedValue) => {
    if (!isMethodChange(body.path(value), body.looseText(value).toString())) return
    throw new RelayError("bad-request", "The request names another method in its form.")
  }
  for (const value of body.selected) check(value)
  for (const value of body.unselected()) check(value)
}
