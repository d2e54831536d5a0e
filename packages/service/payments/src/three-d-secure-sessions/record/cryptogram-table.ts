import type { App } from "@sealway/accounts"
import { openForApp, type SealedPlace, sealedShape, sealForApp } from "@sealway/keys"
import { appPartition, type RecordKey } from "@sealway/ports"
import * as z from "zod"
import type { SessionTableDependencies } from "./session-table.ts"

/** How long the proof of an authentication can be read. */
export const CRYPTOGRAM_SECONDS = 60 * 60

const itemSchema = z.object(sealedShape)

const keyOf = (app: App, sessionId: string): RecordKey => ({
  pk: appPartition(app.id),
  sk: `3ds-cryptogram#${sessionId}`,
})
const placeOf = (app: App, sessionId: string): SealedPlace => ({
  app,
  purpose: "payment-record",
  place: `3ds-cryptogram\0${sessionId}`,
})

/**
 * Stores a session's cryptogram for an hour, sealed, apart from the session, so that the table itself removes it.
 *
 * @param nowMs epoch milliseconds
 */
export async function keepCryptogram(
  { paymentsTable, keyring }: SessionTableDependencies,
  app: App,
  sessionId: string,
  cryptogram: string,
  nowMs: number,
): Promise<void> {
  const sealed = await sealForApp(keyring, placeOf(app, sessionId), Buffer.from(cryptogram))
  const expiresAt = Math.floor(nowMs / 1000) + CRYPTOGRAM_SECONDS
  await paymentsTable.put(keyOf(app, sessionId), { id: sessionId, ...sealed, expiresAt, revision: 1 })
}

/** Returns null when there is none, or it has expired. */
export async function findCryptogram(
  { paymentsTable, keyring }: SessionTableDependencies,
  app: App,
  sessionId: string,
): Promise<string | null> {
  const item = await paymentsTable.get(keyOf(app, sessionId))
  if (item === null) return null
  const bytes = await openForApp(keyring, placeOf(app, sessionId), itemSchema.parse(item))
  if (bytes === null) throw new Error("A cryptogram does not open")
  return bytes.toString()
}
