import { createHash } from "node:crypto"
import type { App } from "@sealway/accounts"
import { type Keyring, openForApp, type SealedPlace, sealedShape, sealForApp } from "@sealway/keys"
import type { RecordKey, Table } from "@sealway/ports"
import * as z from "zod"
import { CHALLENGE_MS, type Challenge, challengeSchema } from "./challenge.ts"

export interface ChallengeTableDependencies {
  readonly paymentsTable: Pick<Table, "get" | "create" | "replace">
  readonly keyring: Pick<Keyring, "newest" | "open">
}

/** A stored challenge, and its app. */
export interface KeptChallenge {
  readonly app: App
  readonly challenge: Challenge
  readonly revision: number
}

const itemSchema = z.object({ appId: z.string(), ...sealedShape, revision: z.number() })

/** Late visitors are told so for a while. */
const KEPT_MS = 3 * CHALLENGE_MS

/** Readers of the table do not learn the capability. */
const hashOf = (capability: string) => createHash("sha256").update(capability).digest("base64url")
const keyOf = (capability: string): RecordKey => ({
  pk: `sandbox-3ds-challenge#${hashOf(capability)}`,
  sk: "challenge",
})
const placeOf = (app: App, capability: string): SealedPlace => ({
  app,
  purpose: "payment-record",
  place: `sandbox-3ds-challenge\0${hashOf(capability)}`,
})

async function itemOf(
  { keyring }: ChallengeTableDependencies,
  app: App,
  capability: string,
  challenge: Challenge,
) {
  const text = JSON.stringify(challenge)
  const sealed = await sealForApp(keyring, placeOf(app, capability), Buffer.from(text))
  const expiresAt = Math.floor((challenge.createdAt + KEPT_MS) / 1_000)
  return { appId: app.id, ...sealed, expiresAt }
}

/** Stores a new challenge, sealed. One already stored under this capability is not changed. */
export async function createChallenge(
  dependencies: ChallengeTableDependencies,
  app: App,
  capability: string,
  challenge: Challenge,
): Promise<void> {
  const item = await itemOf(dependencies, app, capability, challenge)
  await dependencies.paymentsTable.create(keyOf(capability), { ...item, revision: 1 })
}

/** Returns null when there is no such challenge. @param findApp returns null for an app that may not be served */
export async function findChallenge(
  { paymentsTable, keyring }: ChallengeTableDependencies,
  findApp: (appId: string) => Promise<App | null>,
  capability: string,
): Promise<KeptChallenge | null> {
  const found = await paymentsTable.get(keyOf(capability))
  if (found === null) return null
  const { appId, revision, ...sealed } = itemSchema.parse(found)
  const app = await findApp(appId)
  if (app === null) return null
  const bytes = await openForApp(keyring, placeOf(app, capability), sealed)
  if (bytes === null) throw new Error("A challenge does not open")
  return { app, revision, challenge: challengeSchema.parse(JSON.parse(bytes.toString())) }
}

/** Returns false when it was changed first. */
export async function replaceChallenge(
  dependencies: ChallengeTableDependencies,
  capability: string,
  { app, revision }: KeptChallenge,
  challenge: Challenge,
): Promise<boolean> {
  const item = await itemOf(dependencies, app, capability, challenge)
  return dependencies.paymentsTable.replace(keyOf(capability), item, revision)
}
