import { RequestTask, type Task } from "./task.ts"
import { createTurns, type Turns } from "./turns.ts"

/**
 * The turns of this process. There is one event loop for all requests, so whatever shares it out must know about all of
 * them.
 */
export const processTurns: Turns = createTurns({ now: () => performance.now(), defer: setImmediate })

/** The task of work that is done for no request: never cancelled, with unlimited memory. */
export const processTask: Task = new RequestTask({ turns: processTurns })
