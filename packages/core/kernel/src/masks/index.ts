/** How values look to those who may not see all of them. */

export { HIDDEN } from "./hidden.ts"
export { applyMask, HIDE_ALL, type Mask, TOO_LONG_BYTES } from "./mask.ts"
export { patternProblem } from "./mask-pattern.ts"
