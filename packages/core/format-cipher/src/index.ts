export { ALPHABETS } from "./alphabet.ts"
export {
  type CharactersFormat,
  type Format,
  type FormatProblem,
  formatProblem,
  LONGEST_VALUE,
  PRESETS,
  SMALLEST_DOMAIN,
  type StandardFormat,
} from "./format.ts"
export { createFormatCipher, deriveFormatKey, type FormatCipher, LONGEST_TWEAK } from "./format-cipher.ts"
export { UnfitTextError } from "./unfit-text-error.ts"
