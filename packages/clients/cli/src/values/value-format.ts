import type { RequestBody } from "@sealway/sdk/api"
import { type Command, Option } from "commander"
import * as z from "zod"
import { readInput } from "../files/read-input.ts"
import { UsageFailure } from "../terminal/failures.ts"
import type { CliHost } from "../terminal/host.ts"

/**
 * The input of `encrypt` and `decrypt`: `json` is a document, value by value; `text` is one string without quotes;
 * `bytes` is a whole file.
 */
export type ValueFormat = "json" | "text" | "bytes"

export const valueOptionsSchema = z.object({
  binary: z.boolean().default(false),
  text: z.boolean().default(false),
  value: z.string().optional(),
  output: z.string().optional(),
  role: z
    .string()
    .regex(/^[a-z0-9-]{1,20}$/, "A role must be a slug: 1 to 20 lower-case letters, digits and dashes")
    .optional(),
})

export type ValueOptions = z.infer<typeof valueOptionsSchema>

export const valueArgumentsSchema = z.union([z.tuple([]), z.tuple([z.string()])])

export function addValueOptions(command: Command): Command {
  return command
    .argument("[file]", "file to read; - for standard input (the default)")
    .addOption(new Option("--text", "one string instead of JSON; a line break at its end is dropped"))
    .addOption(new Option("--binary", "a whole file instead of JSON").conflicts("text"))
    .addOption(
      new Option(
        "--value <text>",
        "the string itself; careful: the shell's history keeps it, and other users can see it",
      ).conflicts("binary"),
    )
    .option("-o, --output <file>", "file to write; - for standard output, even to a terminal")
}

/** The options for input other than JSON. */
export const VALUE_FORMAT_OPTIONS = ["text", "binary", "value"] as const

export interface Input {
  readonly format: ValueFormat
  readonly body: RequestBody
}

/** Reads what to encrypt or decrypt. @throws UsageFailure */
export async function readValue(
  host: CliHost,
  options: ValueOptions,
  file: string | undefined,
): Promise<Input> {
  const { value, binary } = options
  if (value !== undefined && file !== undefined) throw new UsageFailure("Pass a file or --value, not both.")
  const format = binary ? "bytes" : options.text || value !== undefined ? "text" : "json"
  if (value !== undefined) return { format, body: jsonString(value) }
  const bytes = await readInput(host, file ?? "-")
  if (format === "bytes") return { format, body: { contentType: "application/octet-stream", content: bytes } }
  if (format === "json") return { format, body: { contentType: "application/json", content: bytes } }
  return { format, body: jsonString(decodeText(bytes).replace(/\r?\n$/, "")) }
}

function jsonString(text: string): Input["body"] {
  if (!text.isWellFormed()) throw new UsageFailure("The value is not text.")
  return { contentType: "application/json", content: JSON.stringify(text) }
}

function decodeText(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (error) {
    throw new UsageFailure("The input is not UTF-8 text. Use --binary for other files.", { cause: error })
  }
}
