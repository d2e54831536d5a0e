/**
 * How a call to the outside ends, other than well.
 *
 * `dies`: the process dies before the call. That is also after the call before it, whose answer it did not use.
 * `throttled`: the call has no effect, and fails.
 * `lost`: the call takes effect, and fails, because its answer is lost in each attempt.
 * `retried`: the call takes effect, its answer is lost, and the client of AWS makes it again.
 * `twice`: of a message, that it is delivered again while its worker runs.
 */
export type Fault = "dies" | "throttled" | "lost" | "retried" | "twice"

/** Something that may happen next. */
export interface Option {
  /** What happens, and its fault: `revoke`, `revoke!lost`, `message events/2`, `clock sweep`. */
  readonly label: string
  /** The call that ends; null for anything else. */
  readonly call: string | null
  /** 1 for someone else than by default. */
  readonly preemptions: 0 | 1
  readonly faults: 0 | 1
  /** Whether it can make a difference, as far as is known. */
  readonly isWorthwhile: boolean
  /** Whether time passes for everyone before it. */
  readonly passesTime: boolean
}

/** Something that happened. */
export interface Step {
  readonly actor: string
  /** What the actor called. */
  readonly call: string
  readonly outcome: string
  readonly atMs: number
  /** What could have happened. What happens by default is the first. */
  readonly options: readonly Option[]
  readonly chosen: number
}

/** What happened instead of the default, by the number of the step. Replays a history exactly. */
export type Deviations = ReadonlyMap<number, string>

/** Writes deviations as one word: `12=revoke!lost,20=sweep`. */
export function formatDeviations(deviations: Deviations): string {
  return [...deviations].map(([step, label]) => `${step}=${label.replaceAll(" ", "_")}`).join(",") || "-"
}

/** @throws Error when a text is not what `formatDeviations` writes */
export function parseDeviations(text: string): Deviations {
  if (text === "-") return new Map()
  return new Map(
    text.split(",").map((each): [number, string] => {
      const found = /^(?<step>\d+)=(?<label>\S+)$/.exec(each)
      if (found?.groups === undefined) throw new Error("A history is written like 12=revoke!lost,20=sweep")
      const { step = "", label = "" } = found.groups
      return [Number(step), label.replaceAll("_", " ")]
    }),
  )
}

/** Returns what in a history was not the default. */
export function deviationsOf(steps: readonly Step[]): Deviations {
  return new Map(
    steps.flatMap(({ options, chosen }, index): [number, string][] =>
      chosen === 0 ? [] : [[index, options[chosen]?.label ?? ""]],
    ),
  )
}

/** Prints a history as a table. Steps that were not the default are marked. */
export function formatSteps(steps: readonly Step[]): string {
  const begunMs = steps[0]?.atMs ?? 0
  const rows = steps.map(({ actor, call, outcome, atMs, chosen }, index) => [
    `${chosen === 0 ? " " : "*"} ${index}`,
    `${((atMs - begunMs) / 1000).toFixed(3)}`,
    ...[actor, call, outcome],
  ])
  const table = [["  step", "seconds", "who", "call", "outcome"], ...rows]
  const widths = table[0]?.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0))) ?? []
  return table
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n")
}
