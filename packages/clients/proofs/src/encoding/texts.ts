/** Numbers of texts: equal texts have equal numbers. Only equality of texts is encoded, so numbers are enough. */
export interface Texts {
  codeOf(text: string): number
  /** All texts that have a number. */
  all(): Iterable<readonly [string, number]>
  /** The text of a number that a solver chose. Negative ones are texts that no policy names. */
  textOf(code: bigint): string | null
}

export function createTexts(): Texts {
  const codes = new Map<string, number>()
  return {
    codeOf(text) {
      const known = codes.get(text)
      if (known !== undefined) return known
      codes.set(text, codes.size)
      return codes.size - 1
    },
    all: () => codes,
    textOf: (code) => [...codes].find(([, each]) => BigInt(each) === code)?.[0] ?? null,
  }
}
