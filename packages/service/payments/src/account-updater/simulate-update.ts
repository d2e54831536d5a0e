import { ConflictError, NotFoundError } from "@sealway/kernel"
import * as z from "zod"
import { type CardDataSender, cardNumberOf } from "../card-number-of.ts"
import { cardUpdateSchema } from "../cards/simulate-card.ts"
import type { PaymentDependencies } from "../dependencies.ts"
import { openOwnNumber } from "../own-number.ts"
import { joinAccount, laterExpiry, newNumberLike, requireSandbox, simulateNews } from "../simulation.ts"
import { type Subscription, statusOf } from "./subscription.ts"
import { SUBSCRIPTIONS } from "./subscription-kind.ts"
import { type ToldUpdate, takeUpdate } from "./take-update.ts"

/** The updates that can be simulated: those of a registered card, and one more. */
export const simulatedUpdateSchema = z
  .discriminatedUnion("updateType", [
    ...cardUpdateSchema.options,
    z.strictObject({ updateType: z.literal("contact-cardholder") }),
  ])
  .meta({ id: "SimulatedAccountUpdate" })

export type SimulatedUpdate = z.infer<typeof simulatedUpdateSchema>

/**
 * Simulates the next update of a sandbox app's subscription.
 *
 * @throws ForbiddenError for a production app, NotFoundError, ConflictError when the subscription is not active
 */
export async function simulateUpdate(
  dependencies: PaymentDependencies,
  sender: CardDataSender,
  id: string,
  update: SimulatedUpdate,
): Promise<Subscription> {
  const { app } = sender.principal
  requireSandbox(app)
  const found = requireActive(await SUBSCRIPTIONS.table.find(dependencies, app, id))
  const told = await toldBy(update, found, sender, dependencies)
  return simulateNews(SUBSCRIPTIONS, dependencies, sender, id, (current) => {
    const { sequence } = requireActive(current).details
    const at = { sequence: sequence + 1, occurredAt: dependencies.wallClock() }
    return takeUpdate(current, told, at, app, dependencies)
  })
}

function requireActive(subscription: Subscription | null): Subscription {
  if (subscription === null || subscription.deletedAt !== null) throw new NotFoundError(SUBSCRIPTIONS.title)
  if (statusOf(subscription) === "active") return subscription
  throw new ConflictError("The subscription is not active: it is pending, failed or ended.")
}

async function toldBy(
  update: SimulatedUpdate,
  { details }: Subscription,
  sender: CardDataSender,
  dependencies: PaymentDependencies,
): Promise<ToldUpdate> {
  const { keyring, draws, wallClock } = dependencies
  const { updateType } = update
  if (updateType === "account-closure" || updateType === "contact-cardholder") return { updateType }
  const known = await openOwnNumber(keyring, sender.principal.app, details.number)
  const expiry = update.expiry ?? laterExpiry(details.expiry ?? { month: "12", year: "00" }, wallClock())
  if (updateType === "new-expiry-date") return { updateType, replacement: { number: known, expiry } }
  const given =
    update.number === undefined
      ? { digits: newNumberLike({ bin: known }, draws), token: null }
      : await cardNumberOf(dependencies, sender, "/number", update.number)
  await joinAccount(dependencies, sender.principal.app, given.digits, known)
  return { updateType, replacement: { number: given.digits, expiry }, token: given.token }
}
