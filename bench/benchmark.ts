/** One line of a benchmark's results. */
export interface Row {
  readonly name: string
  readonly figure: number
  /** Of `figure`, such as `µs/value`. */
  readonly unit: string
  /**
   * How Sealway compares with what this line measures: 2 when Sealway is twice as good. Null for Sealway's own lines
   * and for figures that stand by themselves.
   */
  readonly ratio: number | null
  /** The least `ratio` that passes; null when none is required. */
  readonly requiredRatio: number | null
}

/** What a module of this folder exports to be run by `main.ts`. */
export interface Benchmark {
  /** What is measured, and how, for the reader of the results. Markdown. */
  readonly description: string
  run(): Promise<readonly Row[]>
}

export function missesRequirement({ ratio, requiredRatio }: Row): boolean {
  return requiredRatio !== null && (ratio === null || ratio < requiredRatio)
}
