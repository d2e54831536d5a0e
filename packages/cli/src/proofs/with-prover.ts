import type { CedarSession } from "@sealway/policies/analysis"
import type { SolverHost } from "@sealway/proofs"

/** What decides questions about all requests. */
export interface Prover {
  readonly solvers: SolverHost
  readonly session: CedarSession
}

/** Loads the solver and Cedar for a task: no other command waits for them. */
export async function withProver<Answer>(task: (prover: Prover) => Promise<Answer>): Promise<Answer> {
  const { createZ3 } = await import("@sealway/proofs")
  const { createCedarSession, instantiateCedar } = await import("@sealway/policies/analysis")
  const solvers = createZ3()
  try {
    return await task({ solvers, session: createCedarSession(instantiateCedar) })
  } finally {
    await solvers.close()
  }
}
