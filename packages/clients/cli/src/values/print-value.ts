import { writeResult, writeResultFile } from "../files/write-result.ts"
import { UsageFailure } from "../terminal/failures.ts"
import type { CliHost } from "../terminal/host.ts"
import type { Output } from "../terminal/output.ts"
import type { ValueFormat } from "./value-format.ts"

const LINE_BREAK = 0x0a

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
  answer: Uint8Array,
  file: string | undefined,
): Promise<void> {
  const bytes = format === "text" ? Buffer.from(bareText(Buffer.from(answer).toString())) : answer
  if (file !== undefined && file !== "-") await writeResultFile(host, file, [bytes])
  else if (format === "bytes") await writeResult(host, [bytes])
  else if (host.stdout.isTTY !== true || file !== undefined)
    await writeResult(host, withLineBreak(bytes, format))
  else {
    const text = Buffer.from(bytes).toString()
    if (format === "json") output.json(text.trimEnd())
    else for (const line of text.split("\n")) output.line(line)
  }
}

/** Text always gets one; JSON may end with one. */
function withLineBreak(bytes: Uint8Array, format: ValueFormat): Uint8Array[] {
  return format === "json" && bytes.at(-1) === LINE_BREAK ? [bytes] : [bytes, Uint8Array.of(LINE_BREAK)]
}

/** Returns a JSON string without its quotes; numbers and booleans unchanged. */
function bareText(json: string): string {
  if (!/^\s*"/.test(json)) return json.trim()
  const text: unknown = JSON.parse(json)
  return typeof text === "string" ? text : json
}
