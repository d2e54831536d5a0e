/**
 * How many runs of functions may be in progress at once: as many as the queue's worker processes, since further ones
 * would wait for a turn that comes only seconds later.
 */
export const DEFAULT_FUNCTION_RUNS = 100
