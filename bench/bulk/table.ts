import { once } from "node:events"
import { createWriteStream } from "node:fs"

/** Returns the value of a row that is encrypted. */
export function cardOf(row: number): string {
  return String(4_000_000_000_000_000 + row * 7)
}

/** Writes a table of customers, some 90 bytes a row. */
export async function writeTable(path: string, format: "csv" | "ndjson", rows: number): Promise<void> {
  const file = createWriteStream(path)
  if (format === "csv") file.write("id,card,name,email,joined,balance\n")
  for (let row = 0; row < rows; row++) {
    if (!file.write(`${lineOf(row, format)}\n`)) await once(file, "drain")
  }
  file.end()
  await once(file, "close")
}

function lineOf(row: number, format: "csv" | "ndjson"): string {
  const [id, card, name, email] = [row + 1, cardOf(row), `Customer ${row}`, `customer${row}@example.com`]
  if (format === "csv") return `${id},${card},${name},${email},2026-01-31,${row % 1000}.50`
  return JSON.stringify({ id, card, name, email, joined: "2026-01-31", balance: (row % 1000) + 0.5 })
}
