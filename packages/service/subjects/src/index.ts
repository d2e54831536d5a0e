export type { SubjectDependencies } from "./dependencies.ts"
export { subjectEndpoints } from "./endpoints/index.ts"
export { type ErasureSweepDependencies, sweepErasures } from "./management/sweep-erasures.ts"
