/** Returns the Luhn sum modulo 10 (ISO/IEC 7812-1, annex B): 0 for numbers that pass. */
export function luhnResidue(digits: readonly number[]): number {
  return digits.reduce((sum, digit, place) => sum + weigh(digit, isDoubled(digits, place)), 0) % 10
}

/** Returns the digits with the one at `place` changed so that they have a residue. */
export function withLuhnResidue(digits: readonly number[], place: number, residue: number): number[] {
  const others = luhnResidue(digits.with(place, 0))
  const weighed = (10 + residue - others) % 10
  return digits.with(place, isDoubled(digits, place) ? (weighed + 9 * (weighed & 1)) / 2 : weighed)
}

function isDoubled(digits: readonly number[], place: number): boolean {
  return (digits.length - place) % 2 === 0
}

/** Without a table or a branch on the digit, which is secret. */
function weigh(digit: number, doubled: boolean): number {
  return doubled ? 2 * digit - (9 & ((4 - digit) >> 31)) : digit
}
