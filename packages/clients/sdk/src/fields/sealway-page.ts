import type { FieldKind } from "../protocol/index.ts"
import { pathSegment } from "../requests/path-segment.ts"
import { parseServiceAddress } from "../requests/service-address.ts"
import { type FieldOptions, type SecretOptions, settingsOf, type TextOptions } from "./field-options.ts"
import { type Fields, openFields } from "./field-set.ts"
import { openReveal, type Reveal, type RevealOptions } from "./reveal.ts"

export interface SealwayPageOptions {
  /** The team's id, `team_…`. */
  readonly teamId: string | undefined
  /** The app's id, `app_…`. The page's origin must be in its `allowedOrigins`. */
  readonly appId: string | undefined
  /** Address of the service. */
  readonly baseUrl: string | undefined
}

/** An element of the page, or a selector that finds one. */
export type Place = Element | string

/** Where the frames of a card go that has one for each field. */
export interface CardPlaces {
  readonly number: Place
  readonly expiry: Place
  readonly cvc: Place
}

/** The fields that a page can show. Each call creates frames, and returns what controls them. */
export interface PageFields {
  /** Number, expiry and security code: in one frame, or in a frame each where the page wants them. */
  card(place: Place | CardPlaces, options?: FieldOptions): Fields
  number(place: Place, options?: FieldOptions): Fields
  expiry(place: Place, options?: FieldOptions): Fields
  cvc(place: Place, options?: FieldOptions): Fields
  /** Digits, never shown. */
  pin(place: Place, options?: SecretOptions): Fields
  /** Any text. */
  text(place: Place, options?: TextOptions): Fields
}

/**
 * Sealway for pages that must not see what people type or read: the values are in frames of the service.
 *
 * ```ts
 * const sealway = new SealwayPage({ teamId, appId, baseUrl: "https://api.example.com" })
 * const card = sealway.fields.card("#card", { role: "pci" })
 * const { number, expiry, cvc } = await card.submit() // tokens
 * ```
 */
export class SealwayPage {
  readonly fields: PageFields
  readonly #base: string

  /** @throws TypeError if an option is wrong */
  constructor({ teamId, appId, baseUrl }: SealwayPageOptions) {
    const address = parseServiceAddress("baseUrl", baseUrl, false)
    this.#base = `${address}/elements/${pathSegment("teamId", teamId)}/${pathSegment("appId", appId)}`
    const open =
      (kind: FieldKind) =>
      (place: Place, options: TextOptions = {}) =>
        this.#open([[kind, place]], options)
    this.fields = {
      card: (places, options = {}) =>
        typeof places === "string" || places instanceof Element
          ? this.#open([["card", places]], options)
          : this.#open(
              (["number", "expiry", "cvc"] as const).map((kind) => [kind, places[kind]] as const),
              options,
            ),
      number: open("number"),
      expiry: open("expiry"),
      cvc: open("cvc"),
      pin: open("pin"),
      text: open("text"),
    }
  }

  /** Shows a decrypted value in a frame, which the page cannot read. */
  reveal(place: Place, options: RevealOptions): Reveal {
    return openReveal(`${this.#base}/reveal`, findPlace(place), options)
  }

  #open(places: readonly (readonly [kind: FieldKind, place: Place])[], options: TextOptions): Fields {
    const frames = places.map(([kind, place]) => ({
      kind,
      place: findPlace(place),
      title: options.texts?.[kind === "card" ? "number" : kind] ?? TITLES[kind],
    }))
    for (const { kind } of frames) checkSettings(kind, options)
    return openFields(`${this.#base}/fields`, frames, options)
  }
}

/** What screen readers say of a frame, before its own labels. */
const TITLES: Readonly<Record<FieldKind, string>> = {
  card: "Card",
  number: "Card number",
  expiry: "Expiry date",
  cvc: "Security code",
  pin: "PIN",
  text: "Secret",
}

function findPlace(place: Place): Element {
  const found = typeof place === "string" ? document.querySelector(place) : place
  if (!(found instanceof Element))
    throw new TypeError("The place is neither an element nor a selector of one.")
  return found
}

const MAX_SECRET_CHARACTERS = 1_000

/** A frame does not answer a page that asks for what it does not know: better to say so here. */
function checkSettings(kind: FieldKind, options: TextOptions): void {
  const { role, minLength, maxLength } = settingsOf(kind, options)
  if (role !== null && !/^[a-z0-9-]{1,20}$/.test(role)) {
    throw new TypeError("The role is not a data role slug: 1 to 20 of a-z, 0-9 and -.")
  }
  const areLengths = Number.isInteger(minLength) && Number.isInteger(maxLength)
  if (!areLengths || minLength < 1 || minLength > maxLength || maxLength > MAX_SECRET_CHARACTERS) {
    throw new TypeError("minLength and maxLength must be whole numbers from 1 to 1,000.")
  }
}
