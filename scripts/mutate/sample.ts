import { hash } from "node:crypto"

/** Which mutants are tested: a share of them, always the same ones for a seed. */
export interface Sample {
  readonly percent: number
  readonly seed: number
}

export const EVERYTHING: Sample = { percent: 100, seed: 1 }

/** One small change of the code. */
interface Mutant {
  readonly location: { readonly start: { readonly line: number; readonly column: number } }
  readonly mutatorName: string
  readonly replacement?: string
}

/** Tells whether a sample has a mutant. Those of other places in the code do not change that. */
export function isSampled(
  { location, mutatorName, replacement = "" }: Mutant,
  { percent, seed }: Sample,
): boolean {
  const { line, column } = location.start
  const drawn = hash("sha256", [seed, line, column, mutatorName, replacement].join("\n"))
  return (Number.parseInt(drawn.slice(0, 8), 16) / 2 ** 32) * 100 < percent
}
