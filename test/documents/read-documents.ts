import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { ROOT } from "../support/start.ts"

/** The pages with commands for readers to type. */
export const PAGES: readonly string[] = [
  "README.md",
  "CONTRIBUTING.md",
  "SECURITY.md",
  ...globSync("docs/*.md", { cwd: ROOT }).sort(),
  "examples/checkout/README.md",
  "examples/sdk/README.md",
  "packages/clients/sdk/README.md",
  "clients/python/README.md",
]

export interface Block {
  readonly language: string
  readonly text: string
}

export interface Document {
  readonly page: string
  /** Lines that are code only by their indentation. */
  readonly indented: readonly string[]
  readonly blocks: readonly Block[]
  /** Inline code, including that in tables and lists. */
  readonly spans: readonly string[]
}

const FENCE = /^( *)```(\w*)\n(.*?)^\1```$/gms
const SPAN = /(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)/g

export function readDocument(page: string): Document {
  return parseDocument(page, readFileSync(join(ROOT, page), "utf8"))
}

export function parseDocument(page: string, text: string): Document {
  const blocks = [...text.matchAll(FENCE)].map(([, , language = "", content = ""]) => ({
    language,
    text: content,
  }))
  const prose = text.replaceAll(FENCE, "")
  const spans = [...prose.matchAll(SPAN)].map(([, , span = ""]) => span)
  const indented = [...prose.matchAll(/^(?: {4,}|\t)(.+)$/gm)].map(([, line = ""]) => line.trim())
  return { page, blocks, indented, spans }
}

/** Returns the lines of a block; one that ends with a backslash continues in the next. */
export function linesOf({ text }: Block): string[] {
  return text
    .replaceAll(/\s*\\\n\s*/g, " ")
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#"))
}

/** Splits a command into words as a shell does, as far as the pages need it. */
export function wordsOf(command: string): string[] {
  return [...command.matchAll(/(?:[^\s'"]|'[^']*'|"(?:[^"\\]|\\.)*")+/g)].map(([word]) =>
    word.replaceAll(
      /'([^']*)'|"((?:[^"\\]|\\.)*)"/g,
      (_, single?: string, double?: string) => single ?? double ?? "",
    ),
  )
}
