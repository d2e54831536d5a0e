import type {
  Appearance,
  CardBrandName,
  ColorScheme,
  FieldKind,
  FieldProblems,
  FieldSettings,
  FieldState,
  SealedFields,
  Texts,
  Theme,
} from "../protocol/index.ts"

/** How a frame looks. All of it can be changed at any time with `update`. */
export interface AppearanceOptions {
  /** Colours, lengths and font names. Default: the frame's own, for both schemes. */
  readonly theme?: Theme
  /** Default: `auto`, that of the reader's device. */
  readonly scheme?: ColorScheme
  /** A BCP 47 tag, such as `de` or `ar-EG`. Default: that of the reader's browser. */
  readonly locale?: string
  /** Texts of your own, instead of the translations. */
  readonly texts?: Texts
  /** Whether labels are shown. They are always there for screen readers. Default: true. */
  readonly showLabels?: boolean
  readonly disabled?: boolean
}

export interface FieldOptions extends AppearanceOptions {
  /** Slug of the data role of what is encrypted. It cannot be changed later. */
  readonly role?: string
}

export interface SecretOptions extends FieldOptions {
  /** Default: 4 for a PIN, 1 for a text. It cannot be changed later. */
  readonly minLength?: number
  /** At most 1,000. Default: 12 for a PIN, 1,000 for a text. It cannot be changed later. */
  readonly maxLength?: number
}

export interface TextOptions extends SecretOptions {
  /** Whether the text is shown as dots. Default: true. */
  readonly masked?: boolean
}

/** What a page learns of a field. */
export type { CardBrandName, FieldProblems, FieldState, SealedFields, Texts, Theme }

export interface FieldEvents {
  /** Something has changed, and typing has paused. */
  readonly change: FieldState
  readonly focus: undefined
  readonly blur: undefined
  /** The enter key was pressed. */
  readonly enter: undefined
}

export type FieldEventName = keyof FieldEvents

/** @internal */
export function appearanceOf(
  { theme, scheme, locale, texts, showLabels, disabled }: AppearanceOptions,
  brand: CardBrandName | null = null,
): Appearance {
  return {
    theme: { ...theme },
    scheme: scheme ?? "auto",
    locale: locale ?? null,
    texts: { ...texts },
    showLabels: showLabels ?? true,
    isDisabled: disabled ?? false,
    brand,
  }
}

/** @internal */
export function settingsOf(kind: FieldKind, options: TextOptions): FieldSettings {
  const isPin = kind === "pin"
  return {
    kind,
    role: options.role ?? null,
    minLength: options.minLength ?? (isPin ? 4 : 1),
    maxLength: options.maxLength ?? (isPin ? 12 : 1_000),
    isMasked: options.masked ?? true,
  }
}
