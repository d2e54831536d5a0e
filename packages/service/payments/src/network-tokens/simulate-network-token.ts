import { expirySchema, sealableSchema } from "@sealway/bins"
import { ConflictError, NotFoundError } from "@sealway/kernel"
import * as z from "zod"
import { type CardDataSender, cardNumberOf } from "../card-number-of.ts"
import type { PaymentDependencies } from "../dependencies.ts"
import type { TokenStanding } from "../networks/messages/network-token.ts"
import { openOwnNumber } from "../own-number.ts"
import { joinAccount, laterExpiry, newNumberLike, requireSandbox, simulateNews } from "../simulation.ts"
import type { NetworkToken } from "./network-token.ts"
import { NETWORK_TOKENS, takeStanding } from "./network-token-kind.ts"

/** The network token changes that can be simulated. */
export const networkTokenUpdateSchema = z
  .discriminatedUnion("updateType", [
    z.strictObject({
      updateType: z.literal("new-token-status"),
      status: z.enum(["active", "inactive"]).exactOptional().describe("Default: the other one of the two"),
    }),
    z.strictObject({
      updateType: z.literal("new-card-expiry-and-last-four"),
      expiry: expirySchema.exactOptional(),
      lastFour: z
        .string()
        .regex(/^[0-9]{4}$/, "This must be four digits")
        .exactOptional(),
    }),
    z.strictObject({
      updateType: z.literal("new-token-expiry-and-number"),
      expiry: expirySchema.exactOptional(),
      number: sealableSchema.exactOptional().describe("Plain or as a token. Default: a generated number"),
    }),
  ])
  .meta({ id: "NetworkTokenUpdate" })

export type NetworkTokenUpdate = z.infer<typeof networkTokenUpdateSchema>

/**
 * Changes a network token of a sandbox app as its network would.
 *
 * @throws ForbiddenError for a production app, NotFoundError, ConflictError when the token is neither active nor
 * inactive
 */
export async function simulateNetworkToken(
  dependencies: PaymentDependencies,
  sender: CardDataSender,
  id: string,
  update: NetworkTokenUpdate,
): Promise<NetworkToken> {
  const { app } = sender.principal
  requireSandbox(app)
  const token = requireUsable(await NETWORK_TOKENS.table.find(dependencies, app, id))
  const standing = await standingAfter(token, update, sender, dependencies)
  return simulateNews(NETWORK_TOKENS, dependencies, sender, id, (current) =>
    takeStanding(requireUsable(current), { standing }, app, dependencies),
  )
}

function requireUsable(token: NetworkToken | null): NetworkToken {
  if (token === null || token.deletedAt !== null) throw new NotFoundError(NETWORK_TOKENS.title)
  const { status } = token.details
  if (status === "active" || status === "inactive") return token
  throw new ConflictError("The network token is neither active nor inactive.")
}

async function standingAfter(
  { details }: NetworkToken,
  update: NetworkTokenUpdate,
  sender: CardDataSender,
  dependencies: PaymentDependencies,
): Promise<TokenStanding> {
  const { keyring, draws, wallClock } = dependencies
  const { app } = sender.principal
  const { status } = details
  switch (update.updateType) {
    case "new-token-status":
      return { status: update.status ?? (status === "active" ? "inactive" : "active") }
    case "new-card-expiry-and-last-four": {
      const { lastFour = fourDigits(draws.randomBytes(4)) } = update
      const expiry = update.expiry ?? laterExpiry(details.card.expiry, wallClock())
      return { status, card: { lastFour, expiry } }
    }
    case "new-token-expiry-and-number": {
      const expiry = update.expiry ?? laterExpiry(details.expiry, wallClock())
      const known = await openOwnNumber(keyring, app, details.number)
      const number =
        update.number === undefined
          ? newNumberLike({ bin: known }, draws)
          : (await cardNumberOf(dependencies, sender, "/number", update.number)).digits
      await joinAccount(dependencies, app, number, known)
      return { status, expiry, number }
    }
  }
}

function fourDigits(bytes: Uint8Array): string {
  return [...bytes].map((byte) => String(byte % 10)).join("")
}
