import type { RequestsDescription } from "@sealway/policies/analysis"
import { formatTime } from "../terminal/format.ts"

/** Formats requests for people, one kind in a line. @param nothing what to say when there are none */
export function linesOfDescription(description: RequestsDescription, nothing: string): string[] {
  if (!description.known) return [`unknown: ${description.reason}`]
  const { requests, isComplete, untilMs } = description
  const until =
    untilMs === null ? [] : [`(until ${formatTime(untilMs)}, by the rules of time zones now in force)`]
  return [
    ...(requests.length === 0 ? [nothing] : requests.map(({ words }) => words)),
    ...(isComplete ? [] : ["and more"]),
    ...until,
  ]
}
