import type { FunctionRuntime } from "../runtimes/runtime-files.ts"

/** The languages of functions. */
export const LANGUAGES = ["node@24", "node@22", "python@3.13", "python@3.12"] as const

export type Language = (typeof LANGUAGES)[number]

interface LanguageFacts {
  /** The `Runtime` of the Lambda function. */
  readonly lambdaRuntime: "nodejs24.x" | "nodejs22.x" | "python3.13" | "python3.12"
  readonly wrapper: FunctionRuntime
}

/** How each language is run. */
export const LANGUAGE_FACTS: Readonly<Record<Language, LanguageFacts>> = {
  "node@24": { lambdaRuntime: "nodejs24.x", wrapper: "node" },
  "node@22": { lambdaRuntime: "nodejs22.x", wrapper: "node" },
  "python@3.13": { lambdaRuntime: "python3.13", wrapper: "python" },
  "python@3.12": { lambdaRuntime: "python3.12", wrapper: "python" },
}

const MODULE_ENDINGS: Readonly<Record<FunctionRuntime, RegExp>> = {
  node: /\.(?:mjs|cjs|js)$/,
  python: /\.py$/,
}

/** True when the wrapper of a language can load a file with this name. */
export function isModuleOf(language: Language, file: string): boolean {
  return MODULE_ENDINGS[LANGUAGE_FACTS[language].wrapper].test(file)
}
