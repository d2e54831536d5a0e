import { mkdir, writeFile } from "node:fs/promises"
import { basename, join, resolve } from "node:path"
import { errorCodeOf } from "@sealway/kernel"
import { type Command, Option } from "commander"
import * as z from "zod"
import { reasonOf } from "../files/read-input.ts"
import { FUNCTION_LANGUAGES, FUNCTION_TOML, type FunctionLanguage } from "../functions/function-toml.ts"
import { type CommandLine, defineAction } from "../session/define-action.ts"
import { UsageFailure } from "../terminal/failures.ts"

const optionsSchema = z.object({
  language: z.enum(FUNCTION_LANGUAGES).default("node@24"),
  name: z
    .string()
    .regex(/^[a-z0-9-]{1,60}$/, "--name must be up to 60 lower-case letters, digits and dashes")
    .optional(),
})
const folderArguments = z.union([z.tuple([]), z.tuple([z.string()])])

const NODE_HANDLER = `/**
 * @param payload what the run was given, with its tokens decrypted
 * @param context functionName, runId, app and encrypt(value, role)
 */
export const handler = async (payload, context) => {
  return { greeting: \`Hello \${payload.name}\`, sealed: context.encrypt(payload.name) }
}
`

const PYTHON_HANDLER = `def handler(payload, context):
    """payload: what the run was given, with its tokens decrypted.

    context: functionName, runId, app and encrypt(value, role).
    """
    return {"greeting": f"Hello {payload['name']}", "sealed": context.encrypt(payload["name"])}
`

export function addFunctionInitCommand(functions: Command, line: CommandLine): void {
  defineAction(
    line,
    functions
      .command("init")
      .argument("[folder]", "folder to create it in (default: the current folder)")
      .description("Start a new function: write function.toml and a handler.")
      .addOption(
        new Option("--language <language>", "language and version (default: node@24)").choices(
          FUNCTION_LANGUAGES,
        ),
      )
      .option("--name <name>", "its name (default: the folder's name)"),
    { options: optionsSchema, arguments: folderArguments },
    async ({ host, output }, { language, name: wanted }, [folder = "."]) => {
      const place = resolve(host.folder, folder)
      const name = wanted ?? nameOf(place)
      const { handler, source } = handlerOf(language)
      try {
        await mkdir(place, { recursive: true })
        // Never overwrites an existing file.
        await writeFile(join(place, FUNCTION_TOML), tomlOf(name, language, handler), { flag: "wx" })
        await writeFile(join(place, handler), source, { flag: "wx" }).catch((error: unknown) => {
          if (!isThere(error)) throw error
        })
      } catch (error) {
        if (isThere(error)) throw new UsageFailure(`${folder} already has a ${FUNCTION_TOML}.`)
        throw new UsageFailure(`${folder} cannot be written to${reasonOf(error)}.`, { cause: error })
      }
      output.line(join(folder, FUNCTION_TOML))
      output.line(join(folder, handler))
    },
  )
}

function handlerOf(language: FunctionLanguage): { readonly handler: string; readonly source: string } {
  return language.startsWith("node")
    ? { handler: "index.mjs", source: NODE_HANDLER }
    : { handler: "main.py", source: PYTHON_HANDLER }
}

function nameOf(place: string): string {
  const name = basename(place)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "")
    .slice(0, 60)
  return name === "" ? "my-function" : name
}

function tomlOf(name: string, language: FunctionLanguage, handler: string): string {
  return `[function]
name = "${name}"
language = "${language}"
handler = "${handler}"
timeout = 30 # seconds
memory = 256 # MB
# callbackUrl = "https://example.com/runs" # receives a POST when an asynchronous run has ended
`
}

function isThere(error: unknown): boolean {
  return errorCodeOf(error) === "EEXIST"
}
