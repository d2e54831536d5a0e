/** A solver that reads SMT-LIB 2.6. */
export interface Solver {
  /**
   * Carries out commands and returns what the solver prints. What earlier calls declared and asserted stays.
   *
   * @throws SolverStoppedError when the time for the question is over, or the solver fails
   */
  run(commands: string): Promise<string>
}

/** The solver was stopped, so the question has no answer. */
export class SolverStoppedError extends Error {
  override readonly name = "SolverStoppedError"
}

/** Answers questions, one after another. */
export interface SolverHost {
  /** Answers a question with an empty solver. Rejects with what `ask` throws. */
  ask<Answer>(ask: (solver: Solver) => Promise<Answer>): Promise<Answer>
  close(): Promise<void>
}
