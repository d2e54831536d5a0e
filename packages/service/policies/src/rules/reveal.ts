/** How a value is returned: whole, or as the mask of its role shows it. */
export const REVEAL_LEVELS = ["full", "masked"] as const

export type RevealLevel = (typeof REVEAL_LEVELS)[number]

/** What a request takes: `any` is full values where they are permitted, and masks where only those are. */
export type RevealMode = RevealLevel | "any"

/** What policies permit: full values, masks of them, or neither. */
export const OUTCOMES = ["permit", "masked", "deny"] as const

export type Outcome = (typeof OUTCOMES)[number]
