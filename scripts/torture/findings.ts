/** The result of a check of one kind of thing. */
export interface Finding {
  readonly what: string
  readonly acknowledged: number
  /** Missing, or impossible to open. */
  readonly lost: number
  /** Existing, and different from what was acknowledged: changed, or deleted and still there. */
  readonly wrong: number
  /** There more than once. */
  readonly doubled: number
  /** For people: which ones. */
  readonly examples: readonly string[]
}

const EXAMPLES = 5

/** Counts what is wrong, and keeps a few examples. */
export class Tally {
  readonly #examples: string[] = []
  readonly #counts = { lost: 0, wrong: 0, doubled: 0 }
  acknowledged = 0

  count(fault: "lost" | "wrong" | "doubled", example: string): void {
    this.#counts[fault]++
    if (this.#examples.length < EXAMPLES) this.#examples.push(`${fault}: ${example}`)
  }

  finding(what: string): Finding {
    return { what, acknowledged: this.acknowledged, ...this.#counts, examples: this.#examples }
  }
}

export const isViolation = ({ lost, wrong, doubled }: Finding) => lost + wrong + doubled > 0
