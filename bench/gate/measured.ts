import type { Row } from "../benchmark.ts"

/** What was measured: see `Row`. */
export interface Measured extends Pick<Row, "name" | "figure"> {
  readonly ratio: number
}
