/** Shown for "nothing" in a table, so that no column is ever empty. */
export const NOTHING = "-"

/** Formats a point in time as ISO 8601 in UTC, to the second. @param epochMs null: never */
export function formatTime(epochMs: number | null | undefined): string {
  if (epochMs === null || epochMs === undefined || !Number.isFinite(epochMs)) return NOTHING
  if (Math.abs(epochMs) > 8.64e15) return NOTHING
  return new Date(epochMs).toISOString().replace(/\.[0-9]{3}Z$/, "Z")
}

export function formatList(values: readonly string[]): string {
  return values.length === 0 ? NOTHING : values.join(",")
}

/** Formats JSON for `--json` when it is not a single answer of the service. */
export function formatJson(value: unknown): string {
  return JSON.stringify(value)
}
