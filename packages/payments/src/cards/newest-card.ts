import { NotFoundError } from "@sealway/kernel"
import type { App } from "@sealway/platform"
import type { PaymentDependencies } from "../dependencies.ts"
import type { Card } from "./card.ts"
import { requireCard } from "./manage-cards.ts"

/** Replacements in a row that are followed. */
const MAX_REPLACEMENTS = 50

/**
 * The card that stands for a registered one: itself while it is active, or what has replaced it.
 *
 * @returns null when it is closed or invalid, or whoever deleted the replacement left it without one
 * @throws NotFoundError for an id of no card of the app
 */
export async function findNewestCard(
  dependencies: Pick<PaymentDependencies, "paymentsTable" | "keyring">,
  app: App,
  id: string,
): Promise<Card | null> {
  let card = await requireCard(dependencies, app, id)
  for (let followed = 0; followed < MAX_REPLACEMENTS; followed++) {
    const { status, replacement } = card.details
    if (status === "active") return card
    if (replacement === null) return null
    const next = await requireCard(dependencies, app, replacement).catch((error: unknown) => {
      if (error instanceof NotFoundError) return null
      throw error
    })
    if (next === null) return null
    card = next
  }
  return null
}
