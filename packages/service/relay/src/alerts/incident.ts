import type { RelayErrorCode } from "@sealway/kernel"
import type { ExchangeStage, Leak } from "@sealway/relay-engine"
import type { Activity } from "../activity/activity.ts"
import type { Relay } from "../relays/relay.ts"

/** Something that alerts report. */
export interface Incident {
  readonly type: RelayErrorCode | "leak-detected"
  /** What went wrong. */
  readonly message: string
  /** Where it went wrong. */
  readonly place: string
}

const STAGES: Readonly<Record<ExchangeStage, string>> = {
  request: "In the request, before it was sent to the destination.",
  destination: "Between the relay and the destination.",
  response: "In the destination's response.",
}
const MAX_PATHS = 5
const MAX_PATH_CHARACTERS = 120

/** Returns what to report about a request. A request that was refused because of a leak is reported as the leak. */
export function incidentsOf(
  { leakWatch }: Pick<Relay, "leakWatch">,
  activity: Activity,
): readonly Incident[] {
  const { leaks, error } = activity
  const leak = leaks.length === 0 ? [] : [leakIncident(leaks, error !== null && leakWatch === "block")]
  const isLeakError = leak.length > 0 && leakWatch === "block"
  if (error === null || isLeakError) return leak
  return [...leak, { type: error.code, message: error.detail, place: STAGES[error.stage] }]
}

function leakIncident(leaks: readonly Leak[], isBlocked: boolean): Incident {
  const named = leaks.slice(0, MAX_PATHS).map(({ direction, path }) => `${plain(path)} of the ${direction}`)
  const others = leaks.length > MAX_PATHS ? ` and ${leaks.length - MAX_PATHS} other places` : ""
  return {
    type: "leak-detected",
    message: isBlocked
      ? "A request was refused: a field that no selection covers contained a card number."
      : "A card number passed through in a field that no selection covers.",
    place: `At ${named.join(", ")}${others}.`,
  }
}

/**
 * Paths contain names from other people's documents: shortens them, and removes line ends and what chat tools interpret
 * as mark-up.
 */
function plain(path: string): string {
  const text = path.replace(/[^\p{L}\p{N}$.'_[\] -]/gu, "?")
  return text.length <= MAX_PATH_CHARACTERS ? text : `${text.slice(0, MAX_PATH_CHARACTERS)}…`
}
