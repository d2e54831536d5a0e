/** What a frame can hold. */
export const FIELD_KINDS = ["card", "number", "expiry", "cvc", "pin", "text"] as const
export type FieldKind = (typeof FIELD_KINDS)[number]

/** One input. */
export const INPUT_NAMES = ["number", "expiry", "cvc", "pin", "text"] as const
export type InputName = (typeof INPUT_NAMES)[number]

export const CARD_BRAND_NAMES = [
  "visa",
  "mastercard",
  "american-express",
  "discover",
  "diners-club",
  "jcb",
  "unionpay",
  "maestro",
  "dankort",
  "cartes-bancaires",
] as const
export type CardBrandName = (typeof CARD_BRAND_NAMES)[number]

/** What a page may see of an empty or wrong input: not which digit, and not how many are missing. */
export const PROBLEMS = ["required", "invalid"] as const
export type FieldProblem = (typeof PROBLEMS)[number]

/** The texts of a frame, and what is said in each place. A page may replace any. */
export const TEXT_NAMES = [
  "number",
  "expiry",
  "cvc",
  "pin",
  "text",
  "expiryPlaceholder",
  "required",
  "numberIncomplete",
  "numberInvalid",
  "expiryInvalid",
  "expired",
  "cvcInvalid",
  "pinInvalid",
  "textInvalid",
  "copy",
  "copied",
  "hidden",
  "loading",
  "failed",
] as const
export type TextName = (typeof TEXT_NAMES)[number]
export type Texts = Readonly<Partial<Record<TextName, string>>>

/** Variables of a theme: CSS colours, lengths, and font families of the reader's device. */
export const THEME_COLORS = [
  "color",
  "placeholder",
  "background",
  "border",
  "focus",
  "error",
  "label",
  "accent",
] as const
export const THEME_LENGTHS = ["radius", "fontSize", "paddingBlock", "paddingInline"] as const
export type ThemeName = (typeof THEME_COLORS)[number] | (typeof THEME_LENGTHS)[number] | "font"
export type Theme = Readonly<Partial<Record<ThemeName, string>>>

export const SCHEMES = ["light", "dark", "auto"] as const
export type ColorScheme = (typeof SCHEMES)[number]

/** What a page may change at any time. */
export interface Appearance {
  readonly theme: Theme
  /** Default: that of the reader's device. */
  readonly scheme: ColorScheme
  /** A BCP 47 tag. Default: that of the reader's browser. */
  readonly locale: string | null
  readonly texts: Texts
  /** Whether labels are shown. They are always there for screen readers. */
  readonly showLabels: boolean
  readonly isDisabled: boolean
  /** For a CVC whose number is in another frame. */
  readonly brand: CardBrandName | null
}

/** What a page decides once: if it could change, it would be a way to ask about what is typed. */
export interface FieldSettings {
  readonly kind: FieldKind
  /** Slug of the data role of all values. */
  readonly role: string | null
  /** For `pin` and `text`. */
  readonly minLength: number
  readonly maxLength: number
  /** Whether `text` is hidden while it is typed. A PIN always is. */
  readonly isMasked: boolean
}

/** What a page learns about a frame. */
export interface FieldState {
  readonly isEmpty: boolean
  /** Whether every input of the frame holds something valid. */
  readonly isComplete: boolean
  /** Of a complete number. */
  readonly brand: CardBrandName | null
  /** Of a complete number that has been left. */
  readonly lastFour: string | null
}

/** What sealing returns: a token for each input, two for the expiry. */
export interface SealedFields {
  readonly number?: string
  readonly expiry?: { readonly month: string; readonly year: string }
  readonly cvc?: string
  readonly pin?: string
  readonly text?: string
  readonly brand?: CardBrandName
  readonly lastFour?: string
}

export type FieldProblems = Readonly<Partial<Record<InputName, FieldProblem>>>
