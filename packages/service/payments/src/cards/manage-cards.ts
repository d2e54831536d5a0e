import type { App } from "@sealway/accounts"
import { NotFoundError } from "@sealway/kernel"
import type { FilteredPage, RecordPageRequest } from "@sealway/ports"
import { type AuditAuthor, audited, authorOf } from "@sealway/records"
import {
  type CardDataSender,
  cardNumberOf,
  cardNumberToken,
  type GivenCardNumber,
} from "../card-number-of.ts"
import type { PaymentDependencies } from "../dependencies.ts"
import { changeEnrolled, deleteEnrolled } from "../enrolments/change-enrolled.ts"
import {
  askedAtOnce,
  changedMeanwhile,
  entryOf,
  type KeepingDependencies,
  makeEnrolled,
  requireEnrolled,
  storedRecord,
  wakeWorker,
} from "../enrolments/keep-enrolled.ts"
import { pageEnrolled } from "../enrolments/page-enrolled.ts"
import { untilWritten } from "../enrolments/until-written.ts"
import { numberKeyOf } from "../number-key.ts"
import { type Card, type CardExpiry, type CardStatus, newCard, withCardChanges } from "./card.ts"
import { factsOfNumber } from "./card-facts.ts"
import { CARDS } from "./card-kind.ts"
import { claimNumber } from "./card-numbers.ts"
import { followReplacements } from "./newest-card.ts"

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
 * Registers a card, or returns the newest card with its number, set to the given expiry. The number of a replaced card
 * returns the replacement, unchanged: the expiry belongs to the old number.
 *
 * @throws InvalidRequestError, DecryptionForbiddenError naming the number when it cannot be read
 * @throws ApiError `service-unavailable` when the app has no network
 * @throws ConflictError when others keep changing the card
 */
export async function registerCard(
  dependencies: PaymentDependencies,
  sender: CardDataSender,
  input: CardInput,
): Promise<{ readonly card: Card; readonly isNew: boolean }> {
  const { app } = sender.principal
  const number = await cardNumberOf(dependencies, sender, "/number", input.number)
  await dependencies.requireCardNetwork(app)
  const { paymentsTable, draws, wallClock } = dependencies
  const numberKey = await numberKeyOf(dependencies, app, number.digits)
  const find = (id: string) => CARDS.table.find(dependencies, app, id)
  const nowMs = wallClock()
  const newId = draws.newId("card", nowMs)
  return untilWritten(async () => {
    const id = await claimNumber(paymentsTable, app, {
      numberKey,
      newId,
      isFree: async (holder) => ((await find(holder))?.deletedAt ?? null) !== null,
    })
    const known = await find(id)
    if (known === null) {
      const made = await newCardOf(dependencies, app, { id, number, numberKey, nowMs }, input)
      return { card: await createCard(dependencies, app, made, authorOf(sender.caller)), isNew: true }
    }
    return { card: await postAgain(dependencies, app, known, input, authorOf(sender.caller)), isNew: false }
  })
}

interface CardToRegister {
  readonly id: string
  readonly number: GivenCardNumber
  readonly numberKey: string
  /** Epoch milliseconds. */
  readonly nowMs: number
}

async function newCardOf(
  dependencies: PaymentDependencies,
  app: App,
  { id, number, numberKey, nowMs }: CardToRegister,
  { expiry, automaticUpdates = true }: CardInput,
): Promise<Card> {
  const { facts } = await factsOfNumber(dependencies, app, number.digits)
  const given = {
    numberKey,
    digits: number.digits,
    facts,
    expiry: { ...expiry },
    isUpdated: automaticUpdates,
    number: await cardNumberToken(dependencies, app, number),
  }
  return askedAtOnce(CARDS, dependencies, app, newCard(id, app.id, given, nowMs))
}

/** @throws ChangedMeanwhileError when another call creates it first */
function createCard(
  dependencies: KeepingDependencies,
  app: App,
  card: Card,
  author: AuditAuthor,
): Promise<Card> {
  return audited(dependencies.audit, entryOf(CARDS, app, card.id, "create", author), async () => {
    if (!(await makeEnrolled(CARDS, dependencies, app, card))) throw changedMeanwhile(CARDS)
    const stored = await storedRecord(CARDS, dependencies, app, card)
    await wakeWorker(CARDS, dependencies, app, card)
    return stored
  })
}

/** @throws ChangedMeanwhileError when another call deletes the card first */
async function postAgain(
  dependencies: KeepingDependencies,
  app: App,
  { id }: Card,
  { expiry, automaticUpdates }: CardInput,
  author: AuditAuthor,
): Promise<Card> {
  const changes = { expiry, isUpdated: automaticUpdates }
  const change = (card: Card) => withCardChanges(card, changes, dependencies.wallClock())
  const fields = ["expiry", ...(automaticUpdates === undefined ? [] : ["automaticUpdates"])]
  try {
    const card = await changeEnrolled(CARDS, dependencies, app, { id, change, fields }, author)
    return await followReplacements(dependencies, app, card)
  } catch (error) {
    throw error instanceof NotFoundError ? changedMeanwhile(CARDS) : error
  }
}

/** Deletes a card. @throws NotFoundError, ConflictError when others keep changing it */
export function deleteCard(
  dependencies: KeepingDependencies,
  app: App,
  id: string,
  author: AuditAuthor,
): Promise<void> {
  return deleteEnrolled(CARDS, dependencies, app, id, author)
}
