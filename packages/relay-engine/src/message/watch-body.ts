import { type LeakWatch, MAX_LEAKS_FOUND, scanForCardNumbers } from "../leak-watch.ts"
import type { LocatedBody } from "../located-body.ts"
import { malformed } from "./message-problem.ts"
import type { MessageReport } from "./message-report.ts"

/**
 * Reports card numbers in fields that no selection selects.
 *
 * @throws RelayError `bad-request`, or `proxy-error` for a response, when the watch blocks and there is one
 */
export function watchBody(
  body: LocatedBody,
  leakWatch: LeakWatch,
  direction: "request" | "response",
  { leaks }: MessageReport,
): void {
  if (leakWatch === "off") return
  const found = scanForCardNumbers(body, MAX_LEAKS_FOUND - leaks.length)
  for (const path of found) leaks.push({ direction, path })
  if (leakWatch === "block" && found.length > 0) {
    throw malformed(direction, "A field that is not encrypted holds a card number.")
  }
}
