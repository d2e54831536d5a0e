/** Returns the browser's time, in epoch milliseconds. */
export const now = (): number => Date.now()
