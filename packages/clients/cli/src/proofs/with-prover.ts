import type { CedarSession } from "@sealway/policies/analysis"
import type { SolverHost } from "@sealway/proofs"

/** What decides questions about all requests. */
export interface Prover {
  readonly solvers: SolverHost
  readonly session: CedarSession
}

/**
 * Loads the solver and Cedar for a task: no other command waits for them.
 *
 * @param limitMs the time for each question; default: 10 seconds
 */
export async function withProver<Answer>(
  task: (prover: Prover) => Promise<Answer>,
  limitMs = 10_000,
): Promise<Answer> {
  const { createZ3 } = await import("@sealway/proofs")
  const { createCedarSession, instantiateCedar } = await import("@sealway/policies/analysis")
  const solvers = createZ3({ limitMs })
  try {
    return await task({ solvers, session: createCedarSession(instantiateCedar) })
  } finally {
    await solvers.close()
  }
}
