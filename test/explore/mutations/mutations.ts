/** A line of the product without which a promise is broken. */
export interface Mutation {
  /** What is promised. */
  readonly promise: string
  readonly file: string
  readonly from: string
  readonly to: string
  /** The name of a program that finds it. */
  readonly program: string
}

/** For each invariant, at least one. */
export const MUTATIONS: readonly Mutation[] = [
  {
    promise: "erased never opens again",
    file: "packages/subjects/src/management/sweep-erasures.ts",
    from: "wallClock() < due.eraseAt + BEGINNING_MS",
    to: "false",
    program: "erase a data subject while a sweeper",
  },
]
