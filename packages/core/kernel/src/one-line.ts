/**
 * Text for people that cannot change what is shown around it: one line, without control characters and without the
 * marks that embed, override or isolate a writing direction (Unicode UAX 9, sections 2.1 to 2.4). The marks that only
 * help to order text (LRM, RLM, ALM) are allowed.
 */
export const ONE_LINE = /^[^\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]*$/u

/** What to say where `ONE_LINE` does not match. */
export const ONE_LINE_RULE =
  "This must be one line, without control characters and without marks that override the writing direction"

/** Like `ONE_LINE`, for text of several lines, which may have tabs. */
export const LINES = /^(?:[^\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]|[\n\t])*$/u

/** What to say where `LINES` does not match. */
export const LINES_RULE =
  "This must have no control characters but line feeds and tabs, and no marks that override the writing direction"
