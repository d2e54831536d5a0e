import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { ROOT } from "../support/start.ts"

/** What readers are told to type. */
export const PAGES: readonly string[] = [
  "README.md",
  "CONTRIBUTING.md",
  "SECURITY.md",
  ...globSync("docs/*.md", { cwd: ROOT }).sort(),
  "examples/checkout/README.md",
]

export interface Block {
  readonly language: string
  readonly text: string
}

export interface Document {
  readonly page: string
  /** Lines that are code by their indentation alone. */
  readonly indented: readonly string[]
  readonly blocks: readonly Block[]
  /** Inline code, that of tables and lists included. */
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

/** The lines of a block; one that ends with a backslash goes on in the next. */
export function linesOf({ text }: Block): string[] {
  return text
    .replaceAll(/\s*\\\n\s*/g, " ")
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#"))
}

/** What a shell makes words of, as far as the pages need it. */
export function wordsOf(command: string): string[] {
  return [...command.matchAll(/(?:[^\s'"]|'[^']*'|"(?:[^"\\]|\\.)*")+/g)].map(([word]) =>
    word.replaceAll(
      /'([^']*)'|"((?:[^"\\]|\\.)*)"/g,
      (_, single?: string, double?: string) => single ?? double ?? "",
    ),
  )
}
