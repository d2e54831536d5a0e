import { NotFoundError } from "@sealway/kernel"
import type { App } from "@sealway/platform"
import type { PaymentDependencies } from "../dependencies.ts"
import type { Card } from "./card.ts"
import { requireCard } from "./manage-cards.ts"

/** The maximum number of replacements to follow. */
const MAX_REPLACEMENTS = 50

/**
 * Finds the current card for a registered one: itself while it is active, or its replacement.
 *
 * @returns null when it is closed or invalid, or its replacement was deleted
 * @throws NotFoundError when the app has no card with the id
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
