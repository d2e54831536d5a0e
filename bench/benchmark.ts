/** One line of a benchmark's results. */
export interface Row {
  readonly name: string
  readonly figure: number
  /** The unit of `figure`, such as `µs/value`. */
  readonly unit: string
  /**
   * How Sealway compares with what this line measures: 2 when Sealway is twice as good. Null for Sealway's own lines
   * and for figures without a comparison.
   */
  readonly ratio: number | null
  /** The lowest `ratio` that passes; null when none is required. */
  readonly requiredRatio: number | null
}

/** The export of a module in this folder that `main.ts` runs. */
export interface Benchmark {
  /** What is measured, and how, for readers of the results. Markdown. */
  readonly description: string
  /** @param only part of the names of the rows to measure, for a benchmark that can measure some alone. Null: all */
  run(only: string | null): Promise<readonly Row[]>
  /** Keeps the results, for later runs to compare with. Default: they are put into docs/performance.md. */
  keep?(rows: readonly Row[]): Promise<void>
}

export function missesRequirement({ ratio, requiredRatio }: Row): boolean {
  return requiredRatio !== null && (ratio === null || ratio < requiredRatio)
}
