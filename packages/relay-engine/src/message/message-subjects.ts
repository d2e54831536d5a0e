import { DATA_SUBJECT, headersWithout, headerValues, type RawHeaders, type Work } from "@sealway/kernel"
import { isToken } from "@sealway/tokens"
import { readAtOnce } from "../body/located-body.ts"
import { locateJsonInSteps } from "../json/locate-json.ts"
import type { JsonPath } from "../jsonpath/json-path.ts"
import type { CompiledSubject, Operations } from "../operations/compile-operations.ts"
import { malformed } from "./message-problem.ts"

/** The header that names a data subject in the API: it is for Sealway, and not passed on. */
const OWN_HEADER = "x-service-data-subject"
const MAX_ID_BYTES = 128
const INTEGER = /^(?:0|-?[1-9][0-9]*)$/

const REFUSAL =
  "The message must name the data subject of its encrypted values exactly once, by an id of 1 to 128 printable ASCII characters without space and comma."

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

  /** Reads the ids that are in a JSON body. @throws UnreadableBodyError as `locateJson` */
  *readJson(bytes: Buffer): Work<void> {
    const subjects = this.#subjects.filter(isInJson)
    if (subjects.length === 0) return
    const paths = subjects.map(({ path }) => path)
    const body = yield* locateJsonInSteps(bytes, paths)
    for (const [index, subject] of subjects.entries()) {
      const [value, ...others] = body.selected.filter(({ selectors }) => selectors.includes(index))
      // A larger one is no id, even if all of its characters are escapes.
      if (value === undefined || others.length > 0 || value.end - value.start > 6 * MAX_ID_BYTES + 2) continue
      const text = readAtOnce(body.text(value)).toString()
      if (value.type === "string" || INTEGER.test(text)) this.#inJson.set(subject, text)
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
        : [this.#inJson.get(subject) ?? ""]
    const [id = ""] = ids
    // A token is the id of nobody: it would name another data subject each time.
    if (ids.length !== 1 || !DATA_SUBJECT.test(id) || isToken(id)) throw malformed(this.#direction, REFUSAL)
    return id
  }

  /** Returns the headers that are passed on. */
  headersToPass(rawHeaders: RawHeaders): RawHeaders {
    const isNamed = this.#subjects.some(
      ({ source: { type, selector } }) => type === "header" && selector.toLowerCase() === OWN_HEADER,
    )
    return isNamed ? headersWithout(rawHeaders, (name) => name === OWN_HEADER) : rawHeaders
  }
}

function isInJson(subject: CompiledSubject): subject is SubjectInJson {
  return subject.path !== null
}
