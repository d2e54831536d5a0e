import {
  type Appearance,
  CARD_BRAND_NAMES,
  FIELD_KINDS,
  type FieldProblems,
  type FieldSettings,
  type FieldState,
  INPUT_NAMES,
  PROBLEMS,
  SCHEMES,
  TEXT_NAMES,
  THEME_COLORS,
  THEME_LENGTHS,
  type ThemeName,
} from "./options.ts"
import {
  boolean,
  fields,
  integer,
  isRecord,
  oneOf,
  optionalFields,
  orNull,
  type Read,
  text,
  withDefault,
} from "./read.ts"

/** No function that loads something, and nothing that could end a declaration. */
const COLOR =
  /^(?:#(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})|[a-z]{3,30}|(?:rgb|rgba|hsl|hsla|oklch|lab)\([0-9.,%/ -]{1,60}\))$/i
const LENGTH = /^(?:0|[0-9]{1,3}(?:\.[0-9]{1,3})?(?:px|rem|em))$/
const FONT = /^[\p{L}\p{N} ,"'-]{1,200}$/u
/** One line: what breaks it would change the height of a frame. */
const SHOWN_TEXT = /^[^\p{Cc}\p{Zl}\p{Zp}]{0,200}$/u
const LOCALE = /^[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8}){0,5}$/
/** A data role's slug, as in packages/core/tokens. */
const ROLE = /^[a-z0-9-]{1,20}$/
export const MAX_SECRET_CHARACTERS = 1_000

const theme = new Map<ThemeName, Read<string>>([
  ...THEME_COLORS.map((name) => [name, text(COLOR)] as const),
  ...THEME_LENGTHS.map((name) => [name, text(LENGTH)] as const),
  ["font", text(FONT)],
])
const texts = new Map(TEXT_NAMES.map((name) => [name, text(SHOWN_TEXT)] as const))

export const readAppearance: Read<Appearance> = fields<Appearance>({
  theme: optionalFields(theme),
  scheme: withDefault(oneOf(SCHEMES), "auto"),
  locale: orNull(text(LOCALE)),
  texts: optionalFields(texts),
  showLabels: withDefault(boolean, true),
  isDisabled: withDefault(boolean, false),
  brand: orNull(oneOf(CARD_BRAND_NAMES)),
})

const readSettings = fields<FieldSettings>({
  kind: oneOf(FIELD_KINDS),
  role: orNull(text(ROLE)),
  minLength: withDefault(integer(1, MAX_SECRET_CHARACTERS), 1),
  maxLength: withDefault(integer(1, MAX_SECRET_CHARACTERS), MAX_SECRET_CHARACTERS),
  isMasked: withDefault(boolean, true),
})

export const readFieldSettings: Read<FieldSettings> = (value) => {
  const settings = readSettings(value)
  return settings && settings.minLength <= settings.maxLength ? settings : undefined
}

export const readFieldState: Read<FieldState> = fields<FieldState>({
  isEmpty: boolean,
  isComplete: boolean,
  brand: orNull(oneOf(CARD_BRAND_NAMES)),
  lastFour: orNull(text(/^[0-9]{4}$/)),
})

export const readProblems: Read<FieldProblems> = (value) =>
  isRecord(value)
    ? optionalFields(new Map(INPUT_NAMES.map((name) => [name, oneOf(PROBLEMS)] as const)))(value)
    : undefined
