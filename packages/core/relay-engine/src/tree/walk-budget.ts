import { UnreadableBodyError } from "../body/located-body.ts"

const STEPS_PER_TURN = 4_096

/**
 * The work allowed for selecting in one body, for any combination of selectors and body: `$..[?@..a]` visits a deeply
 * nested document again at every level. Share one between all selectors of a body.
 */
export class WalkBudget {
  #steps: number
  /** What is left at the next yield. */
  #turnAt: number

  /** @param steps visiting a node is one; 25,000,000, the default, take about a second at most */
  constructor(steps = 25_000_000) {
    this.#steps = steps
    this.#turnAt = steps - STEPS_PER_TURN
  }

  /** @throws UnreadableBodyError `too-large` when more is spent than available */
  spend(steps: number): void {
    this.#steps -= steps
    if (this.#steps < 0)
      throw new UnreadableBodyError("too-large", "The selectors take too much work on this body.")
  }

  /** Whether to yield now: enough was spent since the last time. */
  isTurnDue(): boolean {
    if (this.#steps > this.#turnAt) return false
    this.#turnAt = this.#steps - STEPS_PER_TURN
    return true
  }
}
