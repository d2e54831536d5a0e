import type { Work } from "@sealway/kernel"
import {
  holdsCardNumber,
  type LeakWatch,
  MAX_LEAKS_FOUND,
  scanForCardNumbersInSteps,
  shownPath,
} from "../body/leak-watch.ts"
import type { InspectedBody } from "../body/located-body.ts"
import { malformed } from "./message-problem.ts"
import type { MessageReport } from "./message-report.ts"
import type { SelectedQuery } from "./query-changes.ts"

/**
 * Reports card numbers in unselected fields.
 *
 * @throws RelayError `bad-request`, or `proxy-error` for a response, when the watch blocks and there is one
 */
export function* watchBody(
  body: InspectedBody,
  leakWatch: LeakWatch,
  direction: "request" | "response",
  { leaks }: MessageReport,
): Work<void> {
  if (leakWatch === "off") return
  const found = yield* scanForCardNumbersInSteps(body, MAX_LEAKS_FOUND - leaks.length)
  for (const path of found) leaks.push({ direction, path })
  if (leakWatch === "block" && found.length > 0) {
    throw malformed(
      direction,
      "A field that is not encrypted, or its name, contains a card number (leakWatch: block).",
    )
  }
}

/**
 * Reports card numbers in unselected query parameters, as `?` and the parameter's name.
 *
 * @throws RelayError `bad-request` when the watch blocks and there is one
 */
export function watchQuery(
  query: Pick<SelectedQuery, "unselected">,
  leakWatch: LeakWatch,
  { leaks }: MessageReport,
): void {
  if (leakWatch === "off") return
  let isFound = false
  for (const { name, value } of query.unselected()) {
    if (leaks.length >= MAX_LEAKS_FOUND) break
    if (!holdsCardNumber(value) && !holdsCardNumber(Buffer.from(name))) continue
    isFound = true
    leaks.push({ direction: "request", path: shownPath(`?${name}`) })
  }
  if (leakWatch === "block" && isFound) {
    throw malformed(
      "request",
      "A query parameter that is not encrypted, or its name, contains a card number (leakWatch: block).",
    )
  }
}
