import type { App } from "@sealway/accounts"
import type { PaymentDependencies } from "../dependencies.ts"
import { requireEnrolled } from "../enrolments/keep-enrolled.ts"
import type { Card } from "./card.ts"
import { CARDS } from "./card-kind.ts"

/** The maximum number of replacements to follow. */
const MAX_REPLACEMENTS = 50

type CardDependencies = Pick<PaymentDependencies, "paymentsTable" | "keyring">

/**
 * Finds the current card for a registered one: itself while it is active, or its replacement.
 *
 * @returns null when it is closed or invalid, or its replacement was deleted
 * @throws NotFoundError when the app has no card with the id
 */
export async function findNewestCard(
  dependencies: CardDependencies,
  app: App,
  id: string,
): Promise<Card | null> {
  const newest = await followReplacements(
    dependencies,
    app,
    await requireEnrolled(CARDS, dependencies, app, id),
  )
  return newest.details.status === "active" ? newest : null
}

/** Returns the last of a card's replacements that was not deleted; the card itself when it has none. */
export async function followReplacements(
  { paymentsTable, keyring }: CardDependencies,
  app: App,
  card: Card,
): Promise<Card> {
  let newest = card
  for (let followed = 0; followed < MAX_REPLACEMENTS; followed++) {
    const { replacement } = newest.details
    if (replacement === null) break
    const next = await CARDS.table.find({ paymentsTable, keyring }, app, replacement)
    if (next === null || next.deletedAt !== null) break
    newest = next
  }
  return newest
}
