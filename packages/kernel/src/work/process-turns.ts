import { createTurns, type Turns } from "./turns.ts"

/**
 * The turns of this process. There is one event loop for all requests, so whatever shares it out must know about all of
 * them.
 */
export const processTurns: Turns = createTurns({ now: () => performance.now(), defer: setImmediate })
