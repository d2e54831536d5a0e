import { KB } from "@sealway/kernel"
import { JsonText } from "@sealway/sdk/api"
import { readInput } from "../files/read-input.ts"
import { UsageFailure } from "../terminal/failures.ts"
import type { CliHost } from "../terminal/host.ts"

const MAX_BYTES = 64 * KB

/**
 * Reads the body of a call from a JSON file or from standard input.
 *
 * @throws UsageFailure when it cannot be read, or is not a JSON object
 */
export async function readJsonObject(host: CliHost, file: string): Promise<JsonText> {
  const bytes = await readInput(host, file, MAX_BYTES)
  if (!isJsonObject(bytes.toString())) throw new UsageFailure(`${file} must contain a JSON object.`)
  return new JsonText(bytes)
}

function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === "object" && value !== null && !Array.isArray(value)
  } catch {
    return false
  }
}
