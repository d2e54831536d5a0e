import { type Document, isScalar, LineCounter, parseAllDocuments, visit } from "yaml"
import { UsageFailure } from "../terminal/failures.ts"

/** More than people write; endless expansion by aliases is refused. */
const MAX_ALIASES = 100

/** One document of a YAML file. */
export interface YamlDocument {
  readonly file: string
  readonly content: unknown
  /** Returns the line, from 1, of what a JSON Pointer names; or of its nearest existing parent. */
  lineOf(pointer: string): number
}

/**
 * Parses a YAML 1.2 file: plain data only, unique names, several documents separated by `---`. Empty ones are ignored.
 *
 * @throws UsageFailure naming the first line that is not YAML, or has a field named `__proto__`
 */
export function parseYamlFile(file: string, bytes: Uint8Array): YamlDocument[] {
  const lines = new LineCounter()
  const documents = parseAllDocuments(decode(file, bytes), {
    version: "1.2",
    schema: "core",
    strict: true,
    uniqueKeys: true,
    merge: false,
    stringKeys: true,
    prettyErrors: false,
    lineCounter: lines,
  })
  if (!Array.isArray(documents)) return []
  return documents.flatMap((document: Document.Parsed) => {
    const [problem] = [...document.errors, ...document.warnings]
    if (problem !== undefined) {
      const { line } = lines.linePos(problem.pos[0])
      throw new UsageFailure(`${file}:${line}: ${firstSentence(problem.message)}.`, { cause: problem })
    }
    refuseDroppedNames(document, (offset) => `${file}:${lines.linePos(offset).line}`)
    const content = contentOf(file, document)
    if (content === null) return []
    return [{ file, content, lineOf: (pointer: string) => lines.linePos(offsetOf(document, pointer)).line }]
  })
}

/** Schemas silently drop `__proto__`, so a condition with that name would restrict nothing. */
function refuseDroppedNames(document: Document.Parsed, placeOf: (offset: number) => string): void {
  visit(document, {
    Pair(_key, { key }) {
      if (!isScalar(key) || key.value !== "__proto__") return
      throw new UsageFailure(`${placeOf(key.range?.[0] ?? 0)}: a field cannot be named __proto__.`)
    },
  })
}

function contentOf(file: string, document: Document.Parsed): unknown {
  try {
    return document.toJS({ maxAliasCount: MAX_ALIASES })
  } catch (error) {
    throw new UsageFailure(`${file}: The YAML aliases are invalid.`, { cause: error })
  }
}

function offsetOf(document: Document.Parsed, pointer: string): number {
  const path = pointer
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"))
  for (; path.length > 0; path.pop()) {
    const node: unknown = document.getIn(path, true)
    if (typeof node === "object" && node !== null && "range" in node && Array.isArray(node.range)) {
      return Number(node.range[0])
    }
  }
  return document.contents?.range[0] ?? 0
}

function firstSentence(message: string): string {
  return (message.split("\n", 1)[0] ?? message).replace(/[.:]?\s*$/, "")
}

function decode(file: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes)
  } catch (error) {
    throw new UsageFailure(`${file} is not UTF-8 text.`, { cause: error })
  }
}
