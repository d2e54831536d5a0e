import type { Work } from "@sealway/kernel"
import type { ValueType } from "@sealway/tokens"
import type { InspectedBody } from "../body/located-body.ts"
import { looseText } from "../form/loose-text.ts"
import type { PartHead } from "../form/part-head.ts"
import type { PartRewrite } from "../form/rewrite-multipart.ts"
import type { Operations } from "../operations/compile-operations.ts"
import type { Message, TransformOptions } from "./message.ts"
import type { Seal, ValueCipher } from "./message-cipher.ts"
import type { MessageSubjects } from "./message-subjects.ts"
import { namedBy } from "./named-by.ts"
import { refuseMethodInForm } from "./refuse-method-override.ts"
import { refuseUnselectedTokens } from "./refuse-tokens.ts"
import type { Transformation } from "./transformation.ts"
import { ValueChanges, type ValueWriter } from "./value-changes.ts"
import { watchBody } from "./watch-body.ts"

/** The maximum number of fields of a multipart body, equal to that of its parts. */
const MAX_FIELDS = 1_000

/** What becomes of the fields of a multipart body that is taken part by part. */
export class FieldChanges implements ValueWriter {
  readonly #operations: Operations
  readonly #message: Message
  readonly #options: TransformOptions
  readonly #subjects: MessageSubjects
  /** What the selected fields are, and then become, in their order. */
  readonly #fields: Buffer[] = []
  #next = 0

  constructor({ operations, message, options, subjects }: Transformation) {
    this.#operations = operations
    this.#message = message
    this.#options = options
    this.#subjects = subjects
  }

  /** First pass: inspects a field, and adds it to the changes. */
  note(part: PartHead, changes: ValueChanges): PartRewrite {
    if (!this.#isSelected(part)) return this.#watch(part)
    return {
      value: async (content) => {
        this.#addTo(changes, part, content)
        return content
      },
    }
  }

  /** Second pass, over the same body: inserts the new content of each selected field. */
  rewriteNoted(part: PartHead): PartRewrite {
    return this.#isSelected(part)
      ? { value: async (content) => this.#fields[this.#next++] ?? content }
      : "pass"
  }

  /** The only pass: changes a field as it arrives. For operations that only encrypt. */
  rewriteNow(part: PartHead, cipher: ValueCipher): PartRewrite {
    if (!this.#isSelected(part)) return this.#watch(part)
    return {
      value: async (content) => {
        const { compiled, report, turns } = this.#options
        const { encryptEmptyStrings } = compiled
        const changes = new ValueChanges({ encryptEmptyStrings, subjects: this.#subjects, report })
        this.#addTo(changes, part, content)
        await turns.run(changes.apply(cipher))
        return this.#fields.pop() ?? content
      },
    }
  }

  write(index: number, _type: ValueType, text: Buffer): null {
    this.#fields[index] = text
    return null
  }

  #addTo(changes: ValueChanges, { name }: PartHead, text: Buffer): void {
    const operations = namedBy(this.#operations.form, name)
    const index = this.#fields.push(text) - 1
    changes.add({ type: "string", text, operations, writer: this, index })
  }

  #isSelected({ name, filename }: PartHead): boolean {
    return filename === null && namedBy(this.#operations.form, name).length > 0
  }

  /** Inspects an unselected field, if the leak watch is on. */
  #watch({ name, filename, hints }: PartHead): PartRewrite {
    const { compiled, report, turns } = this.#options
    const { direction, method } = this.#message
    const { encrypts, watchesMethod } = this.#operations
    const refusesTokens = direction === "request" && encrypts
    const isLookedInto = refusesTokens || watchesMethod || compiled.leakWatch !== "off"
    if (filename !== null || !isLookedInto) return "pass"
    return { look: (content) => turns.run(lookInto(content)) }

    function* lookInto(content: Buffer): Work<void> {
      const field = unselectedField(name, content, yield* looseText(content, hints))
      if (watchesMethod) yield* refuseMethodInForm(field, method ?? "")
      if (refusesTokens) yield* refuseUnselectedTokens(field)
      yield* watchBody(field, compiled.leakWatch, direction, report)
    }
  }
}

/**
 * Creates a cipher with one sealing key for a body's fields, which are sealed one at a time; with one for each data
 * subject. All are there before anything of the body is passed on.
 *
 * @throws RelayError as `MessageSubjects.idOf` and `ValueCipher.sealer`
 */
export async function cipherOfFields(
  cipher: ValueCipher,
  { form }: Operations,
  subjects: MessageSubjects,
): Promise<ValueCipher> {
  const roles = [...new Set(form.operations.flatMap(({ selection }) => selection.role ?? []))]
  const seals = new Map<string | null, Seal>()
  for (const { subject } of form.operations) {
    const id = subject === null ? null : subjects.idOf(subject)
    if (!seals.has(id)) seals.set(id, await cipher.sealer(MAX_FIELDS, roles, id))
  }
  return {
    open: (...asked) => cipher.open(...asked),
    count: (values) => cipher.count(values),
    sealer: (values, used, id = null) => seals.get(id) ?? cipher.sealer(values, used, id),
  }
}

/** Creates a body with one field. */
function unselectedField(name: string, content: Buffer, loose: Buffer): InspectedBody {
  return {
    selected: [],
    unselected: () => [{ start: 0, end: content.length, type: "string", selectors: [] }],
    looseText: () => loose,
    names: () => [{ text: name, path: name }],
    path: () => name,
  }
}
