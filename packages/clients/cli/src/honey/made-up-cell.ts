/** Returns a whole number from 0 to less than a bound. */
export type Draw = (bound: number) => number

/** With so few different values, a column is a choice, such as a country or a status. */
const MAX_CHOICES = 20
const DATE = /^[0-9]{4}-[0-9]{2}-[0-9]{2}/
const HEXADECIMAL = /^[0-9a-f-]*[a-f][0-9a-f-]*$/i
const ADDRESS = /^([^@\s]+)(@[^@\s]+)$/

/**
 * Makes up a cell that looks like others of its column. Choices and dates are taken as they are; digits become other
 * digits; words and the parts of e-mail addresses come from different cells.
 *
 * @param cells cells of the column, at least one; empty ones make as many empty ones
 */
export function makeUpCell(cells: readonly string[], draw: Draw): string {
  const one = () => cells[draw(cells.length)] ?? ""
  const model = one()
  if (model === "" || DATE.test(model) || new Set(cells).size <= MAX_CHOICES) return model
  const address = ADDRESS.exec(model)
  if (address !== null) {
    const [, local = ""] = ADDRESS.exec(one()) ?? address
    return otherDigits(local, draw) + (address[2] ?? "")
  }
  if (HEXADECIMAL.test(model) && /[0-9]/.test(model)) return otherHexadecimals(model, draw)
  if (/[0-9]/.test(model)) return otherDigits(model, draw)
  return otherWords(model, cells, draw)
}

/** Keeps a first digit from becoming a zero. */
function otherDigits(model: string, draw: Draw): string {
  return model.replace(/[0-9]/g, (digit, at: number) =>
    digit !== "0" && !/[0-9]/.test(model[at - 1] ?? "") ? String(1 + draw(9)) : String(draw(10)),
  )
}

function otherHexadecimals(model: string, draw: Draw): string {
  const digits = /[A-F]/.test(model) ? "0123456789ABCDEF" : "0123456789abcdef"
  return model.replace(/[0-9a-f]/gi, () => digits.charAt(draw(digits.length)))
}

/** Takes each word from another cell with as many. */
function otherWords(model: string, cells: readonly string[], draw: Draw): string {
  const wordsOf = (cell: string) => cell.split(" ")
  const words = wordsOf(model)
  const alike = cells.filter((cell) => wordsOf(cell).length === words.length && !/[0-9@]/.test(cell))
  return words.map((word, index) => wordsOf(alike[draw(alike.length)] ?? model)[index] ?? word).join(" ")
}
