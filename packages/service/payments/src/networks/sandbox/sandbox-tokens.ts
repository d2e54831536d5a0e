import { createHmac } from "node:crypto"
import { luhnDigit } from "@sealway/kernel/card-number"
import type {
  CardArtAnswer,
  CardArtRequest,
  CryptogramAnswer,
  CryptogramRequest,
  ProvisionTokenAnswer,
  ProvisionTokenRequest,
  TokenRefusal,
  TokenServiceProvider,
  TokenStanding,
  TokenStandingRequest,
} from "../messages/network-token.ts"
import type { ParAnswer } from "../messages/par.ts"
import { outcomeOf } from "./outcome-of.ts"

const REFUSALS: ReadonlyMap<string, TokenRefusal> = new Map([
  ["201", "ineligible-card"],
  ["202", "invalid-card"],
  ["203", "declined"],
  ["204", "provider-unavailable"],
  ["205", "provider-provisioning"],
])
const SLOW = "206"
const SLOW_MS = 5_000
/** Ranges of network tokens among the test numbers. */
const BINS: Readonly<Record<TokenServiceProvider, string>> = { vts: "489537", mdes: "520099", aets: "340099" }
const LENGTHS: Readonly<Record<TokenServiceProvider, number>> = { vts: 16, mdes: 16, aets: 15 }
const ECIS: Readonly<Record<TokenServiceProvider, string>> = { vts: "07", mdes: "06", aets: "07" }
const CRYPTOGRAM_BYTES = 20
const YEARS = 4

/**
 * Returns the token for a reference. It reveals nothing of the card's number without the key.
 *
 * @param account that of the card
 * @param key 32 bytes
 */
export function sandboxToken(
  request: ProvisionTokenRequest,
  { paymentAccountReference }: ParAnswer,
  key: Uint8Array,
): ProvisionTokenAnswer {
  const { reference, requestedAt, tokenServiceProvider, card } = request
  const outcome = outcomeOf(card.number)
  const reason = REFUSALS.get(outcome ?? "")
  if (reason !== undefined) return { result: "refused", reason }
  const year = (new Date(requestedAt).getUTCFullYear() + YEARS) % 100
  return {
    result: "provisioned",
    token: {
      number: numberOf(reference, tokenServiceProvider, key),
      expiry: { month: card.expiry.month, year: String(year).padStart(2, "0") },
      status: outcome === SLOW ? "provisioning" : "active",
      ...(paymentAccountReference !== null && { paymentAccountReference }),
    },
    ...(outcome === SLOW && { checkAfterMs: SLOW_MS }),
  }
}

/** Only asked about a slow token. @param nowMs epoch milliseconds */
export function sandboxTokenStanding({ requestedAt }: TokenStandingRequest, nowMs: number): TokenStanding {
  const restMs = requestedAt + SLOW_MS - nowMs
  return restMs <= 0
    ? { status: "active" }
    : { status: "provisioning", checkAfterMs: Math.min(restMs, SLOW_MS) }
}

/** Returns a different cryptogram for each request. @param key 32 bytes */
export function sandboxCryptogram(
  { reference, cryptogram, tokenServiceProvider }: CryptogramRequest,
  key: Uint8Array,
): CryptogramAnswer {
  const mac = macOf(key, `cryptogram\0${reference}\0${cryptogram}`)
  return {
    result: "issued",
    cryptogram: mac.subarray(0, CRYPTOGRAM_BYTES).toString("base64"),
    eci: ECIS[tokenServiceProvider],
  }
}

const ART_COLOURS: Partial<Readonly<Record<TokenServiceProvider, string>>> = {
  vts: "#1a1f71",
  mdes: "#eb001b",
}
const ART_SIZE = { width: 1536, height: 969 }

/** Returns a plain, coloured card. American Express has none. */
export function sandboxCardArt({ tokenServiceProvider }: CardArtRequest): CardArtAnswer {
  const colour = ART_COLOURS[tokenServiceProvider]
  if (colour === undefined) return { art: null }
  const { width, height } = ART_SIZE
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><rect width="100%" height="100%" rx="64" fill="${colour}"/></svg>`
  return { art: { type: "image/svg+xml", data: Buffer.from(svg).toString("base64"), width, height } }
}

function numberOf(reference: string, provider: TokenServiceProvider, key: Uint8Array): string {
  const digits = [...macOf(key, `number\0${reference}`)].map((byte) => String(byte % 10)).join("")
  const body = (BINS[provider] + digits).slice(0, LENGTHS[provider] - 1)
  return body + luhnDigit(body)
}

function macOf(key: Uint8Array, text: string): Buffer {
  return createHmac("sha256", key).update(`sandbox-token\0${text}`).digest()
}
