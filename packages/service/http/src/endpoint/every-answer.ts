export const NOT_STORED = { "cache-control": "no-store" } as const

/** Headers of every answer, unless it has others: it is not stored, and no browser guesses another type than declared. */
export const EVERY_ANSWER = { ...NOT_STORED, "x-content-type-options": "nosniff" } as const
