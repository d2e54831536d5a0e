import type { App } from "@sealway/accounts"
import { ForbiddenError, NotFoundError } from "@sealway/kernel"
import { luhnDigit } from "@sealway/kernel/card-number"
import type { Draws } from "@sealway/ports"
import { audited, authorOf } from "@sealway/records"
import type { CardDataSender } from "./card-number-of.ts"
import type { PaymentDependencies } from "./dependencies.ts"
import { changeByNews } from "./enrolments/apply-news.ts"
import type { EnrolledKind } from "./enrolments/enrolled-kind.ts"
import type { EnrolledRecord } from "./enrolments/enrolled-record.ts"
import type { EnrolmentDecision } from "./enrolments/enrolment.ts"
import { entryOf } from "./enrolments/keep-enrolled.ts"

/**
 * Makes a simulated number belong to the account of the number that it replaces: their payment account reference is the
 * same.
 */
export async function joinAccount(
  { cardNetworkOf, sandboxAccounts }: Pick<PaymentDependencies, "cardNetworkOf" | "sandboxAccounts">,
  app: App,
  number: string,
  replaced: string,
): Promise<void> {
  await sandboxAccounts.assign(app, number, await cardNetworkOf(app).par({ number: replaced }))
}

/** @throws ForbiddenError for a production app, whose networks are never simulated */
export function requireSandbox({ environment }: Pick<App, "environment">): void {
  if (environment === "sandbox") return
  throw new ForbiddenError("Updates can be simulated only for sandbox apps.")
}

/**
 * Changes a record as its network would.
 *
 * @param change as in `changeByNews`
 * @throws NotFoundError
 */
export async function simulateNews<Details, Decision extends EnrolmentDecision>(
  kind: EnrolledKind<Details, Decision>,
  dependencies: PaymentDependencies,
  { principal: { app }, caller }: CardDataSender,
  id: string,
  change: (record: EnrolledRecord<Details>) => Promise<EnrolledRecord<Details>>,
): Promise<EnrolledRecord<Details>> {
  const entry = entryOf(kind, app, id, "simulate", authorOf(caller))
  const changed = await audited(dependencies.audit, entry, () =>
    changeByNews(kind, app, id, dependencies, change),
  )
  if (changed === null) throw new NotFoundError(kind.title)
  return changed
}

const LENGTH = 16

/** Returns a made-up number that starts like another one. Two are almost never equal. */
export function newNumberLike({ bin }: { readonly bin: string }, draws: Pick<Draws, "randomBytes">): string {
  const length = bin.startsWith("3") && !bin.startsWith("35") ? LENGTH - 1 : LENGTH
  const beginning = bin.slice(0, 6)
  const drawn = [...draws.randomBytes(LENGTH)].map((byte) => String(byte % 10)).join("")
  const body = (beginning + drawn).slice(0, length - 1)
  return body + luhnDigit(body)
}

const YEARS = 3

/** Returns the same month three years after an expiry, or after now if that has passed. */
export function laterExpiry(
  { month, year }: { readonly month: string; readonly year: string },
  nowMs: number,
): { readonly month: string; readonly year: string } {
  const now = new Date(nowMs).getUTCFullYear() % 100
  return { month, year: String((Math.max(Number(year), now) + YEARS) % 100).padStart(2, "0") }
}
