/** Numbers of texts: equal texts have equal numbers. Only equality of texts is encoded, so numbers are enough. */
export interface Texts {
  /** @throws Error for a new text once `all` was asked: what was said of all texts would not hold for it */
  codeOf(text: string): number
  /** All texts that have a number. From then on there are no others. */
  all(): Iterable<readonly [string, number]>
  /** The text of a number that a solver chose. Negative ones are texts that no policy names. */
  textOf(code: bigint): string | null
}

export function createTexts(): Texts {
  const codes = new Map<string, number>()
  let isComplete = false
  return {
    codeOf(text) {
      const known = codes.get(text)
      if (known !== undefined) return known
      if (isComplete) throw new Error("A text is new after all texts were listed")
      codes.set(text, codes.size)
      return codes.size - 1
    },
    all() {
      isComplete = true
      return codes
    },
    textOf: (code) => [...codes].find(([, each]) => BigInt(each) === code)?.[0] ?? null,
  }
}
