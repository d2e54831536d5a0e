/** Headers of every answer, unless it has others: nothing is stored, and no browser guesses another type than the declared one. */
export const EVERY_ANSWER = { "cache-control": "no-store", "x-content-type-options": "nosniff" } as const
