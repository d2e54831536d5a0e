import { SealwayError } from "../errors/errors.ts"
import {
  type CardBrandName,
  type FieldKind,
  type FieldProblems,
  type FieldState,
  type FrameMessage,
  type PageMessage,
  readFrameMessage,
  type SealedFields,
} from "../protocol/index.ts"
import {
  type AppearanceOptions,
  appearanceOf,
  type FieldEventName,
  type FieldEvents,
  settingsOf,
  type TextOptions,
} from "./field-options.ts"
import { type FrameConnection, openFrame } from "./frame-element.ts"

/** Some inputs are empty or wrong. Their frames show what is wrong with them. */
export class InvalidFieldsError extends SealwayError {
  override readonly name = "InvalidFieldsError"
  /** `required` or `invalid` by input. */
  readonly problems: FieldProblems

  constructor(problems: FieldProblems) {
    super("invalid-fields", "Some fields are empty or invalid.")
    this.problems = problems
  }
}

/** One or more frames that are filled in and submitted together. */
export interface Fields {
  /** Resolves when the fields can be used. @throws SealwayError `frame-refused` if the page's origin is not allowed */
  readonly ready: Promise<void>
  /** What is known of the fields. */
  readonly state: FieldState
  /** Calls a function for each event. @returns what stops it */
  on<Name extends FieldEventName>(name: Name, listener: (event: FieldEvents[Name]) => void): () => void
  /**
   * Encrypts what the fields hold, in their frames.
   *
   * @returns tokens
   * @throws InvalidFieldsError if a field is empty or invalid; its frame says so, and the first one gets the focus
   */
  submit(): Promise<SealedFields>
  /** Puts the focus into the first field that is not complete. */
  focus(): void
  clear(): void
  /** Changes how the fields look. What is left out becomes the default again. */
  update(appearance: AppearanceOptions): void
  /** Takes the frames out of the page. */
  remove(): void
}

export interface FieldFrame {
  readonly kind: FieldKind
  readonly place: Element
  readonly title: string
}

type SealAnswer = Extract<FrameMessage, { type: "sealed" | "refused" | "failed" }>

interface OpenField {
  readonly kind: FieldKind
  readonly connection: FrameConnection<PageMessage>
  state: FieldState
  readonly waiting: Map<number, (answer: SealAnswer) => void>
}

const EMPTY: FieldState = { isEmpty: true, isComplete: false, brand: null, lastFour: null }

/** @param url address of the page of fields */
export function openFields(url: string, frames: readonly FieldFrame[], options: TextOptions): Fields {
  const listeners = new Map<FieldEventName, Set<(event: never) => void>>()
  let appearance: AppearanceOptions = options
  let brand: CardBrandName | null = null
  let count = 0
  const emit = <Name extends FieldEventName>(name: Name, event: FieldEvents[Name]) => {
    for (const listener of listeners.get(name) ?? []) (listener as (event: FieldEvents[Name]) => void)(event)
  }
  const fields: OpenField[] = frames.map(({ kind, place, title }) => {
    const waiting: OpenField["waiting"] = new Map()
    const connection = openFrame<FrameMessage, PageMessage>({
      place,
      url,
      title,
      read: readFrameMessage,
      start: () => ({ settings: settingsOf(kind, options), appearance: appearanceOf(appearance, brand) }),
      receive: (message) => receive(field, message),
    })
    const field: OpenField = { kind, connection, state: EMPTY, waiting }
    return field
  })

  const stateOf = (): FieldState => ({
    isEmpty: fields.every(({ state }) => state.isEmpty),
    isComplete: fields.every(({ state }) => state.isComplete),
    brand: fields.map(({ state }) => state.brand).find((each) => each !== null) ?? null,
    lastFour: fields.map(({ state }) => state.lastFour).find((each) => each !== null) ?? null,
  })

  function receive(field: OpenField, message: FrameMessage): void {
    switch (message.type) {
      case "ready":
        field.state = EMPTY
        // A frame that was loaded again knows nothing of what it was asked before.
        abandon(field)
        break
      case "height":
        field.connection.element.style.height = `${message.height}px`
        break
      case "change":
        field.state = message.state
        tellBrand()
        emit("change", stateOf())
        break
      case "sealed":
      case "refused":
      case "failed":
        field.waiting.get(message.id)?.(message)
        break
      default:
        emit(message.type, undefined)
    }
  }

  function abandon({ waiting }: OpenField): void {
    for (const [id, answer] of waiting) answer({ type: "failed", id })
  }

  /** How many digits a CVC has follows from the brand, which another frame knows. */
  function tellBrand(): void {
    const known = stateOf().brand
    if (known === brand) return
    brand = known
    for (const { kind, connection } of fields) {
      if (kind === "cvc") connection.send({ type: "update", appearance: appearanceOf(appearance, brand) })
    }
  }

  function seal({ connection, waiting }: OpenField): Promise<SealAnswer> {
    const id = count++
    return new Promise((resolve) => {
      waiting.set(id, (answer) => {
        waiting.delete(id)
        resolve(answer)
      })
      connection.send({ type: "seal", id })
    })
  }

  let isRemoved = false
  const ready = Promise.all(fields.map(({ connection }) => connection.ready)).then(() => undefined)
  // Those who do not wait for it must not be told that nobody has.
  ready.catch(() => {})

  return {
    ready,
    get state() {
      return stateOf()
    },
    on(name, listener) {
      const known = listeners.get(name) ?? new Set()
      listeners.set(name, known.add(listener))
      return () => void known.delete(listener)
    },
    async submit() {
      await ready
      const answers = isRemoved ? [] : await Promise.all(fields.map(seal))
      if (isRemoved) throw new SealwayError("frame-removed", "The frame was removed.")
      const refused = answers.filter((answer) => answer.type === "refused")
      if (refused.length > 0) {
        fields[answers.findIndex(({ type }) => type === "refused")]?.connection.send({ type: "focus" })
        throw new InvalidFieldsError(Object.assign({}, ...refused.map(({ problems }) => problems)))
      }
      const sealed = answers.filter((answer) => answer.type === "sealed")
      if (sealed.length < answers.length) {
        throw new SealwayError("encryption-failed", "The frame could not encrypt.")
      }
      return Object.assign({}, ...sealed.map(({ values }) => values))
    },
    focus() {
      const first = fields.find(({ state }) => !state.isComplete) ?? fields[0]
      first?.connection.element.focus()
      first?.connection.send({ type: "focus" })
    },
    clear() {
      for (const { connection } of fields) connection.send({ type: "clear" })
    },
    update(next) {
      appearance = next
      for (const { connection } of fields) {
        connection.send({ type: "update", appearance: appearanceOf(appearance, brand) })
      }
    },
    remove() {
      isRemoved = true
      for (const field of fields) {
        field.connection.remove()
        abandon(field)
      }
      listeners.clear()
    },
  }
}
