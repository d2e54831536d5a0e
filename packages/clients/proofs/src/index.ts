export type { DescribedRequest } from "./encoding/question-of.ts"
export {
  type ChangeDescription,
  type Description,
  describeAccess,
  describeChange,
} from "./questions/access.ts"
export { lintPolicies, type Warning } from "./questions/lint.ts"
export { type ProofResult, runProofs } from "./questions/run-proofs.ts"
export type { SolverHost } from "./solver/solver.ts"
export { createZ3 } from "./solver/z3-solver.ts"
