import {
  DATA_SUBJECT,
  headersWithout,
  headerValues,
  type RawHeaders,
  unescapeJsonString,
  type Work,
} from "@sealway/kernel"
import { isToken } from "@sealway/tokens"
import { findOnlyValue } from "../json/find-only-value.ts"
import { JsonTree } from "../json/json-tree.ts"
import { readJsonRows } from "../json/read-json-tree.ts"
import type { JsonPath } from "../jsonpath/json-path.ts"
import type { CompiledSubject, Operations } from "../operations/compile-operations.ts"
import { WalkBudget } from "../tree/walk-budget.ts"
import { malformed } from "./message-problem.ts"

/** The header that names a data subject in the API: it is for Sealway, and not passed on. */
const OWN_HEADER = "x-service-data-subject"
const MAX_ID_BYTES = 128
const INTEGER = /^(?:0|-?[1-9][0-9]*)$/

const REFUSAL =
  "The message must name the data subject of its encrypted values exactly once, by an id of 1 to 128 printable ASCII characters without space and comma. An integer must be at most 2^53 - 1: send a larger one as a string."

interface SubjectInJson extends CompiledSubject {
  readonly path: JsonPath
}

/** The ids of the data subjects that a message names. */
export class MessageSubjects {
  readonly #direction: "request" | "response"
  readonly #rawHeaders: RawHeaders
  readonly #subjects: readonly CompiledSubject[]
  readonly #inJson = new Map<CompiledSubject, string>()

  constructor(direction: "request" | "response", { subjects }: Operations, rawHeaders: RawHeaders) {
    this.#direction = direction
    this.#rawHeaders = rawHeaders
    this.#subjects = subjects
  }

  /**
   * Reads the ids that are in a JSON body.
   *
   * @param caseSensitiveNames see `RelayOptions`
   * @throws UnreadableBodyError as `locateJson`
   */
  *readJson(bytes: Buffer, caseSensitiveNames: boolean): Work<void> {
    const subjects = this.#subjects.filter(isInJson)
    if (subjects.length === 0) return
    const tree = new JsonTree(bytes, yield* readJsonRows(bytes))
    const budget = new WalkBudget()
    for (const subject of subjects) {
      const value = yield* findOnlyValue(tree, subject.path, caseSensitiveNames, budget)
      // A larger one is no id, even if all of its characters are escapes.
      if (value === null || value.end - value.start > 6 * MAX_ID_BYTES + 2) continue
      const { start, end, type } = value
      const text =
        type === "string" ? unescapeJsonString(bytes, start, end) : bytes.toString("latin1", start, end)
      if (type === "string" || isInteger(text)) this.#inJson.set(subject, text)
    }
  }

  /**
   * Returns an id. Asked for only where a value is going to be sealed: other messages need none.
   *
   * @throws RelayError `bad-request` for a request, `proxy-error` for a response, when it is missing or malformed, or there
   * are several
   */
  idOf(subject: CompiledSubject): string {
    const { source, path } = subject
    const ids =
      path === null
        ? headerValues(this.#rawHeaders, source.selector.toLowerCase())
        : [this.#inJson.get(subject)]
    const [id] = ids
    // A token is the id of nobody: it would name another data subject each time.
    if (id === undefined || ids.length > 1 || !DATA_SUBJECT.test(id) || isToken(id)) {
      throw malformed(this.#direction, REFUSAL)
    }
    return id
  }
}

/** Returns the headers, or trailers, that are passed on: without the id that is for Sealway. */
export function withoutOwnSubject(
  { subjects }: Pick<Operations, "subjects">,
  rawHeaders: RawHeaders,
): RawHeaders {
  const isNamed = subjects.some(
    ({ source: { type, selector } }) => type === "header" && selector.toLowerCase() === OWN_HEADER,
  )
  return isNamed ? headersWithout(rawHeaders, (name) => name === OWN_HEADER) : rawHeaders
}

/** Parsers round larger ones to another id (RFC 8259, section 6), by which nobody would find what was sealed. */
function isInteger(text: string): boolean {
  return INTEGER.test(text) && Number.isSafeInteger(Number(text))
}

function isInJson(subject: CompiledSubject): subject is SubjectInJson {
  return subject.path !== null
}
