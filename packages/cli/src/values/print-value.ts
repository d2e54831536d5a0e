import { endWithLineBreak, writeResult, writeResultFile } from "../files/write-result.ts"
import { readAnswerText } from "../service/answers.ts"
import { UsageFailure } from "../terminal/failures.ts"
import type { CliHost } from "../terminal/host.ts"
import type { Output } from "../terminal/output.ts"
import type { HttpAnswer } from "../terminal/send-request.ts"
import type { ValueFormat } from "./value-format.ts"

/** @throws UsageFailure when bytes would go to a terminal, which could interpret them as commands */
export function refuseBytesOnTerminal(
  { stdout }: CliHost,
  format: ValueFormat,
  file: string | undefined,
): void {
  if (format === "bytes" && file === undefined && stdout.isTTY === true) {
    throw new UsageFailure("Refusing to print binary data to a terminal. Use -o FILE, or -o - to force it.")
  }
}

/**
 * Writes what was encrypted or decrypted. Files and pipes get it unchanged, except that JSON and text on standard
 * output end with a line break; on a terminal it cannot control the terminal.
 */
export async function printValue(
  host: CliHost,
  output: Output,
  format: ValueFormat,
  response: HttpAnswer,
  file: string | undefined,
): Promise<void> {
  const isToFile = file !== undefined && file !== "-"
  const isToTerminal = host.stdout.isTTY === true && file === undefined
  if (format === "text") {
    const text = bareText(await readAnswerText(response))
    if (isToFile) await writeResultFile(host, file, oneChunk(text))
    else if (isToTerminal) for (const line of text.split("\n")) output.line(line)
    else await writeResult(host, oneChunk(`${text}\n`))
  } else if (isToFile) await writeResultFile(host, file, response.body)
  else if (format === "bytes") await writeResult(host, response.body)
  else if (isToTerminal) output.json((await readAnswerText(response)).trimEnd())
  else await writeResult(host, endWithLineBreak(response.body))
}

/** Returns a JSON string without its quotes; numbers and booleans unchanged. */
function bareText(json: string): string {
  if (!/^\s*"/.test(json)) return json.trim()
  const text: unknown = JSON.parse(json)
  return typeof text === "string" ? text : json
}

async function* oneChunk(text: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(text)
}
