import { RUNTIME_HANDLER, runtimeFiles } from "@sealway/functions/testing"
import { type FunctionHostOptions, startFunctionHost } from "@sealway/local/testing/functions"
import type { FunctionHost, Invocation, NewProgram } from "@sealway/ports"
import { zipSync } from "fflate"

export type Language = "node" | "python"

export const LANGUAGES = { node: "node@24", python: "python@3.13" } as const
/** Longer than any test takes. */
const LIMIT_MS = 60_000

/** Starts the host of this machine alone. Default: it also runs functions that it cannot confine. */
export function startHost(options: Partial<FunctionHostOptions> = {}) {
  return startFunctionHost({ folder: null, unconfinedFunctions: true, ...options })
}

/** Makes a zip of files by their paths. */
export function zipOf(files: Readonly<Record<string, string | Uint8Array>>): Uint8Array {
  const entries = Object.entries(files).map(([path, content]) => [path, Buffer.from(content)] as const)
  return zipSync(Object.fromEntries(entries))
}

/** Creates a program from a customer's files in Sealway's wrapper, as a deployment does. */
export async function deploy(
  host: FunctionHost,
  language: Language,
  name: string,
  handlerFile: string,
  files: Readonly<Record<string, string>>,
  limits: Partial<Pick<NewProgram, "timeoutSeconds" | "memoryMb">> = {},
): Promise<void> {
  await host.create({
    name,
    language: LANGUAGES[language],
    handler: RUNTIME_HANDLER,
    zip: zipOf({ ...files, ...Object.fromEntries(runtimeFiles(language, handlerFile)) }),
    timeoutSeconds: 20,
    memoryMb: 128,
    ...limits,
  })
}

export interface Called {
  readonly kind: Invocation["kind"]
  /** Null when there is none. */
  readonly answer: unknown
  /** What the program has printed, and what was noted about it: in all its calls. */
  readonly log: string
}

/** Calls a program. */
export async function invoke(host: FunctionHost, name: string, event: unknown): Promise<Called> {
  const called = await host.invoke(name, Buffer.from(JSON.stringify(event)), LIMIT_MS)
  const page = await host.logs(name, 0, 10_000, null)
  return {
    kind: called.kind,
    answer: called.kind === "answered" ? JSON.parse(called.answer.toString()) : null,
    log: (page?.lines ?? []).map(({ message }) => message).join("\n"),
  }
}
