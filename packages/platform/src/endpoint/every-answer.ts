/** Headers of every answer, unless it has others: it is not stored, and no browser guesses another type than declared. */
export const EVERY_ANSWER = { "cache-control": "no-store", "x-content-type-options": "nosniff" } as const
