import { createTurns, type Turns } from "./turns.ts"

/**
 * The turns of this process, which has one event loop, and one clock, for all of its requests: what shares the loop
 * out must know of all of them.
 */
export const processTurns: Turns = createTurns({ now: () => performance.now(), defer: setImmediate })
