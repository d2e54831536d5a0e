/**
 * Returns where the caret belongs after a text was written in another way: behind as many digits as before.
 *
 * @param digitsBefore the number of digits in front of the caret
 */
export function caretAfter(text: string, digitsBefore: number): number {
  let digits = 0
  for (let index = 0; index < text.length; index++) {
    if (digits === digitsBefore) return index
    if (/[0-9]/.test(text.charAt(index))) digits++
  }
  return text.length
}
