import type { SealedFields } from "@sealway/sdk/protocol"
import type { ClientSealingKey } from "@sealway/tokens/portable"
import { brandOfDigits } from "../rules/card-number-rules.ts"
import { parseExpiry } from "../rules/expiry-rules.ts"

/** What a frame's inputs hold, each valid. */
export type InputValues = Readonly<Partial<Record<"number" | "expiry" | "cvc" | "pin" | "text", string>>>

export interface SealingOptions {
  /** A data role; null for none. */
  readonly role: string | null
  /** Epoch seconds. */
  readonly encryptedAt: number
}

/** Seals each value with the app's public key, in the frame. Only tokens, and the brand of a number, leave it. */
export async function sealInputs(
  key: ClientSealingKey,
  values: InputValues,
  { role, encryptedAt }: SealingOptions,
): Promise<SealedFields> {
  const { number, cvc, pin, text } = values
  const expiry = values.expiry === undefined ? null : parseExpiry(values.expiry)
  const texts = Object.entries({ number, cvc, pin, text, month: expiry?.month, year: expiry?.year }).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  )
  const sealed = await key.sealAll(
    texts.map(([, text]) => ({ type: "string", text })),
    role === null ? undefined : { role, encryptedAt },
  )
  const { month, year, ...tokens } = Object.fromEntries(texts.map(([name], index) => [name, sealed[index]]))
  const brand = number === undefined ? null : brandOfDigits(number)
  return {
    ...tokens,
    ...(month !== undefined && year !== undefined && { expiry: { month, year } }),
    ...(brand !== null && { brand }),
  }
}
