import { parse, TomlError } from "smol-toml"
import * as z from "zod"
import { readInput } from "../files/read-input.ts"
import { UsageFailure } from "../terminal/failures.ts"

/** The file that describes a function. */
export const FUNCTION_TOML = "function.toml"

const MAX_TOML_BYTES = 64 * 1024

export const FUNCTION_LANGUAGES = ["node@24", "node@22", "python@3.13", "python@3.12"] as const
export type FunctionLanguage = (typeof FUNCTION_LANGUAGES)[number]

/** Names and types are checked here, where a line can be named; the service checks the rest. */
const functionSchema = z.strictObject({
  name: z.string().regex(/^[a-z0-9-]{1,60}$/, "must be up to 60 lower-case letters, digits and dashes"),
  language: z.enum(FUNCTION_LANGUAGES),
  handler: z.string(),
  timeout: z.int().min(1).max(900).optional(),
  memory: z.int().min(128).max(3008).optional(),
  callbackUrl: z.string().optional(),
})

const fileSchema = z.strictObject({ function: functionSchema })

/** The content of a function's `function.toml`. Times are in seconds, memory in megabytes. */
export type FunctionToml = z.infer<typeof functionSchema>

/** Parses `function.toml`. @throws UsageFailure naming what is invalid */
export function parseFunctionToml(text: string): FunctionToml {
  let content: unknown
  try {
    content = parse(text)
  } catch (error) {
    if (!(error instanceof TomlError)) throw error
    throw new UsageFailure(`${FUNCTION_TOML}:${error.line}:${error.column}: not valid TOML.`, {
      cause: error,
    })
  }
  const parsed = fileSchema.safeParse(content)
  if (parsed.success) return parsed.data.function
  const details = parsed.error.issues.map((issue) => `${issue.path.join(".") || "file"}: ${issue.message}`)
  throw new UsageFailure(`${FUNCTION_TOML} is invalid.`, { details })
}

/** @throws UsageFailure when the folder has no such file, or an invalid one */
export async function readFunctionToml(
  host: Parameters<typeof readInput>[0],
  folder: string,
): Promise<FunctionToml> {
  const bytes = await readInput({ ...host, folder }, FUNCTION_TOML, MAX_TOML_BYTES)
  return parseFunctionToml(bytes.toString())
}
