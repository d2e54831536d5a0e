/** What a text is: what the customer had, or what stands for it. */
export type Side = "value" | "token"

/** Knows which characters of a text are encrypted, and what the rest of it must be. */
export interface Layout {
  readonly radix: number
  /**
   * Takes apart a value or a token. A value and its token come apart in the same way, but for the numerals.
   *
   * @throws UnfitTextError
   */
  split(text: string, side: Side): SplitText
}

export interface SplitText {
  /** What is permuted: each from 0 to below the radix. */
  readonly numerals: readonly number[]
  /** What the value and its token have in common. It is part of the tweak: texts with different ones are permuted differently. */
  readonly kept: string
  /** Says whether a text can have these numerals. They are permuted until it can ("cycle walking"). */
  accepts(numerals: readonly number[]): boolean
  /**
   * Puts together the token of a value, or the value of a token.
   *
   * @throws UnfitTextError when the text was no token
   */
  join(numerals: readonly number[]): string
}

/** For layouts in which any numerals make a text. */
export function acceptAll(): boolean {
  return true
}
