import type { Appearance, FieldProblems, FieldSettings, FieldState, SealedFields } from "./options.ts"
import { CARD_BRAND_NAMES } from "./options.ts"
import { boolean, fields, integer, isRecord, oneOf, own, type Read, text } from "./read.ts"
import { readAppearance, readFieldSettings, readFieldState, readProblems } from "./read-options.ts"

/** The version of the messages. A frame and a page that do not agree do not speak. */
export const PROTOCOL_VERSION = 1

/**
 * The only message that goes through `window.postMessage`, once, from the page to the frame, with a port. Everything else
 * goes through the port.
 */
export interface FieldStart {
  readonly settings: FieldSettings
  readonly appearance: Appearance
}

const MAX_ID = 2 ** 31
const MAX_TOKEN_CHARACTERS = 8_192

/** What a page says to a frame of fields. */
export type PageMessage =
  | { readonly type: "update"; readonly appearance: Appearance }
  | { readonly type: "focus" }
  | { readonly type: "blur" }
  | { readonly type: "clear" }
  | { readonly type: "seal"; readonly id: number }

/** What a frame of fields says to its page. */
export type FrameMessage =
  | { readonly type: "ready" }
  | { readonly type: "height"; readonly height: number }
  | { readonly type: "change"; readonly state: FieldState }
  | { readonly type: "focus" }
  | { readonly type: "blur" }
  | { readonly type: "enter" }
  | { readonly type: "sealed"; readonly id: number; readonly values: SealedFields }
  | { readonly type: "refused"; readonly id: number; readonly problems: FieldProblems }
  | { readonly type: "failed"; readonly id: number }

export const writeStart = (start: object): object => ({ sealway: PROTOCOL_VERSION, ...start })

export const isStart = (value: unknown): value is Readonly<Record<string, unknown>> =>
  isRecord(value) && own(value, "sealway") === PROTOCOL_VERSION

const readFields = fields<FieldStart>({ settings: readFieldSettings, appearance: readAppearance })
/** Reads a start message; undefined when it is anything else. */
export const readFieldStart: Read<FieldStart> = (value) => (isStart(value) ? readFields(value) : undefined)

/** The kinds of a message, and how the fields of each are read. */
type Readers<Message extends { readonly type: string }> = {
  readonly [Type in Message["type"]]: Read<Omit<Extract<Message, { type: Type }>, "type">>
}

export function readerOf<Message extends { readonly type: string }>(
  readers: Readers<Message>,
): Read<Message> {
  const types = Object.keys(readers) as Message["type"][]
  const readType = oneOf(types)
  return (value) => {
    const type = isRecord(value) ? readType(own(value, "type")) : undefined
    if (type === undefined) return undefined
    const content = readers[type](value)
    return content && ({ type, ...content } as unknown as Message)
  }
}

const nothing: Read<object> = () => ({})
const id = integer(0, MAX_ID)

export const readPageMessage = readerOf<PageMessage>({
  update: fields({ appearance: readAppearance }),
  focus: nothing,
  blur: nothing,
  clear: nothing,
  seal: fields({ id }),
})

const token = text(new RegExp(`^ev:[\\w:+/=-]{1,${MAX_TOKEN_CHARACTERS}}:\\$$`))
const optional =
  <Value>(read: Read<Value>): Read<Value | null> =>
  (value) =>
    value === undefined ? null : read(value)

const readSealed: Read<SealedFields> = (value) => {
  const found = fields<{ [Name in keyof SealedFields]-?: SealedFields[Name] | null }>({
    number: optional(token),
    expiry: optional(fields({ month: token, year: token })),
    cvc: optional(token),
    pin: optional(token),
    text: optional(token),
    brand: optional(oneOf(CARD_BRAND_NAMES)),
    lastFour: optional(text(/^[0-9]{4}$/)),
  })(value)
  return (
    found && (Object.fromEntries(Object.entries(found).filter(([, each]) => each !== null)) as SealedFields)
  )
}

export const readFrameMessage = readerOf<FrameMessage>({
  ready: nothing,
  height: fields({ height: integer(0, 2_000) }),
  change: fields({ state: readFieldState }),
  focus: nothing,
  blur: nothing,
  enter: nothing,
  sealed: fields({ id, values: readSealed }),
  refused: fields({ id, problems: readProblems }),
  failed: fields({ id }),
})

/** What a page says to a frame that shows a value. */
export type RevealPageMessage =
  | { readonly type: "update"; readonly appearance: Appearance }
  | { readonly type: "token"; readonly token: string; readonly document: string }
  | { readonly type: "hide" }

/** What a frame that shows a value says. */
export type RevealFrameMessage =
  /** The frame waits for a token that is bound to this key. */
  | { readonly type: "key"; readonly key: string }
  | { readonly type: "height"; readonly height: number }
  | { readonly type: "shown" }
  | { readonly type: "hidden" }
  | { readonly type: "copied" }
  | { readonly type: "failed"; readonly code: string }

export interface RevealSettings {
  /** Which field of the document is shown. Null: the only one. */
  readonly field: string | null
  readonly showsForSeconds: number
  readonly hasCopyButton: boolean
  /** `digits`: in groups of four. */
  readonly format: "text" | "digits"
}
export interface RevealStart {
  readonly settings: RevealSettings
  readonly appearance: Appearance
}

export const MAX_DOCUMENT_CHARACTERS = 65_536
const anyText =
  (max: number): Read<string> =>
  (value) =>
    typeof value === "string" && value.length > 0 && value.length <= max ? value : undefined

const readReveal = fields<RevealStart>({
  settings: fields<RevealSettings>({
    field: (value) => (value === null || value === undefined ? null : anyText(200)(value)),
    showsForSeconds: integer(1, 600),
    hasCopyButton: boolean,
    format: oneOf(["text", "digits"]),
  }),
  appearance: readAppearance,
})
export const readRevealStart: Read<RevealStart> = (value) => (isStart(value) ? readReveal(value) : undefined)

export const readRevealPageMessage = readerOf<RevealPageMessage>({
  update: fields({ appearance: readAppearance }),
  token: fields({ token: text(/^[\w.-]{1,1024}$/), document: anyText(MAX_DOCUMENT_CHARACTERS) }),
  hide: nothing,
})

export const readRevealFrameMessage = readerOf<RevealFrameMessage>({
  key: fields({ key: text(/^[\w-]{80,100}$/) }),
  height: fields({ height: integer(0, 2_000) }),
  shown: nothing,
  hidden: nothing,
  copied: nothing,
  failed: fields({ code: text(/^[a-z0-9/-]{1,60}$/) }),
})
