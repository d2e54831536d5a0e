import type { Call } from "../engine/scheduler.ts"

/** Makes a call of one process to the outside. */
export type Reach = <Result>(call: Call, act: () => Result) => Promise<Result>
