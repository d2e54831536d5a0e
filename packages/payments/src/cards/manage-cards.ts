import { ConflictError } from "@sealway/kernel"
import {
  type App,
  type AuditAuthor,
  audited,
  authorOf,
  type FilteredPage,
  type RecordPageRequest,
} from "@sealway/platform"
import { type CardDataSender, cardNumberOf, cardNumberToken } from "../card-number-of.ts"
import type { PaymentDependencies } from "../dependencies.ts"
import {
  askedAtOnce,
  changeEnrolled,
  deleteEnrolled,
  entryOf,
  type KeepingDependencies,
  makeEnrolled,
  requireEnrolled,
  storedRecord,
  wakeWorker,
} from "../enrolments/keep-enrolled.ts"
import { pageEnrolled } from "../enrolments/page-enrolled.ts"
import { type Card, type CardExpiry, type CardStatus, newCard, withCardChanges } from "./card.ts"
import { factsOfNumber } from "./card-facts.ts"
import { CARDS } from "./card-kind.ts"
import { claimNumber, numberKeyOf } from "./card-numbers.ts"

export interface CardInput {
  /** In plain text or as a token. */
  readonly number: string
  readonly expiry: CardExpiry
  readonly automaticUpdates?: boolean
}

/** Finds a card. @throws NotFoundError */
export function requireCard(
  dependencies: Pick<KeepingDependencies, "paymentsTable" | "keyring">,
  app: App,
  id: string,
): Promise<Card> {
  return requireEnrolled(CARDS, dependencies, app, id)
}

export interface CardFilter extends RecordPageRequest {
  readonly status?: CardStatus | undefined
  /** Four digits. */
  readonly lastFour?: string | undefined
}

/** Lists cards, newest first. */
export function listCards(
  dependencies: Pick<KeepingDependencies, "paymentsTable" | "keyring" | "log">,
  app: App,
  { status, lastFour, ...page }: CardFilter,
): Promise<FilteredPage<Card>> {
  return pageEnrolled(
    CARDS,
    dependencies,
    app,
    page,
    ({ details }) =>
      (status === undefined || details.status === status) &&
      (lastFour === undefined || details.lastFour === lastFour),
  )
}

/**
 * Registers a card, or returns the newest card with its number, set to the given expiry.
 *
 * @throws InvalidRequestError, DecryptionForbiddenError naming the number when it cannot be read
 * @throws ApiError `service-unavailable` when the app has no network
 * @throws ConflictError when the card is changed meanwhile
 */
export async function registerCard(
  dependencies: PaymentDependencies,
  sender: CardDataSender,
  { number: text, expiry, automaticUpdates }: CardInput,
): Promise<{ readonly card: Card; readonly isNew: boolean }> {
  const { app } = sender.principal
  const author = authorOf(sender.caller)
  const number = await cardNumberOf(dependencies, sender, "/number", text)
  await dependencies.requireCardNetwork(app)
  const { paymentsTable, audit, draws, wallClock } = dependencies
  const numberKey = await numberKeyOf(dependencies, app, number.digits)
  const find = (id: string) => CARDS.table.find(dependencies, app, id)
  const nowMs = wallClock()
  const id = await claimNumber(paymentsTable, app, {
    numberKey,
    newId: draws.newId("card", nowMs),
    isFree: async (holder) => ((await find(holder))?.deletedAt ?? null) !== null,
  })
  const known = await find(id)
  const changes = { expiry, isUpdated: automaticUpdates }
  if (known !== null)
    return { card: await changeCard(dependencies, app, known, changes, author), isNew: false }
  const { facts } = await factsOfNumber(dependencies, app, number.digits)
  const given = {
    ...{
      numberKey,
      digits: number.digits,
      facts,
      expiry: { ...expiry },
      isUpdated: automaticUpdates ?? true,
    },
    number: await cardNumberToken(dependencies, app, number),
  }
  const card = await askedAtOnce(CARDS, dependencies, app, newCard(id, app.id, given, nowMs))
  return audited(audit, entryOf(CARDS, app, id, "create", author), async () => {
    if (!(await makeEnrolled(CARDS, dependencies, app, card))) {
      throw new ConflictError("Another request is registering this card. Try again.")
    }
    const stored = await storedRecord(CARDS, dependencies, app, card)
    await wakeWorker(CARDS, dependencies, app, card)
    return { card: stored, isNew: true }
  })
}

/** @throws ConflictError when it is changed meanwhile */
async function changeCard(
  dependencies: KeepingDependencies,
  app: App,
  card: Card,
  changes: Parameters<typeof withCardChanges>[1],
  author: AuditAuthor,
): Promise<Card> {
  const changed = withCardChanges(card, changes, dependencies.wallClock())
  if (changed === card) return card
  const fields = ["expiry", ...(changes.isUpdated === undefined ? [] : ["automaticUpdates"])]
  return changeEnrolled(CARDS, dependencies, app, changed, fields, author)
}

/** Deletes a card. @throws NotFoundError, ConflictError when it is changed meanwhile */
export async function deleteCard(
  dependencies: KeepingDependencies,
  app: App,
  id: string,
  author: AuditAuthor,
): Promise<void> {
  await deleteEnrolled(CARDS, dependencies, app, await requireCard(dependencies, app, id), author)
}
