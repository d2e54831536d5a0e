import type { App } from "@sealway/accounts"
import { isId, NotFoundError } from "@sealway/kernel"
import { type AuditAuthor, type AuditEntry, appEntry, recordChanges } from "@sealway/records"
import type { EnclaveDependencies } from "../dependencies.ts"
import { type EnclaveRegistration, enclaveRecords } from "../records/enclave-table.ts"

/** The maximum number of registrations of an app. Each request without an API key is compared with all of them. */
export const MAX_ENCLAVES = 100

const enclaveChanges = recordChanges({
  records: enclaveRecords,
  max: MAX_ENCLAVES,
  tooMany: `An app has at most ${MAX_ENCLAVES} registered enclaves.`,
  changedMeanwhile: "Another request has deleted this enclave.",
  forget: ({ enclaves }: EnclaveDependencies, appId) => enclaves.forget(appId),
})

/** Finds a registration. @throws NotFoundError when the app has no such registration */
export async function requireEnclave(
  { configTable }: Pick<EnclaveDependencies, "configTable">,
  app: App,
  id: string,
): Promise<EnclaveRegistration> {
  const found = isId("enclave", id) ? await enclaveRecords.find(configTable, app.id, { id }) : null
  if (found === null) throw new NotFoundError("The enclave")
  return found
}

/** Registers an image. @throws ConflictError when the app has the maximum number of registrations */
export async function addEnclave(
  dependencies: EnclaveDependencies,
  app: App,
  { name, pcrs }: Pick<EnclaveRegistration, "name" | "pcrs">,
  author: AuditAuthor,
): Promise<EnclaveRegistration> {
  const { configTable, draws, wallClock } = dependencies
  enclaveChanges.requireRoom(await enclaveRecords.list(configTable, app.id))
  const createdAt = wallClock()
  const enclave = { id: draws.newId("enclave", createdAt), name, pcrs, createdAt, revision: 1 }
  return enclaveChanges.create(dependencies, entryOf(app, enclave, "create", author), app.id, enclave)
}

/**
 * Deletes a registration. Its enclaves are refused within 10 seconds.
 *
 * @throws NotFoundError when the app has no such registration, ConflictError when another call deletes it first
 */
export async function removeEnclave(
  dependencies: EnclaveDependencies,
  app: App,
  id: string,
  author: AuditAuthor,
): Promise<void> {
  const enclave = await requireEnclave(dependencies, app, id)
  await enclaveChanges.remove(dependencies, entryOf(app, enclave, "delete", author), app.id, enclave)
}

function entryOf(
  app: App,
  { id, name, pcrs }: EnclaveRegistration,
  verb: string,
  author: AuditAuthor,
): AuditEntry {
  return appEntry(app, { type: "enclave", id }, verb, author, { name, ...definedPcrs(pcrs) })
}

function definedPcrs(pcrs: EnclaveRegistration["pcrs"]): Readonly<Record<string, string>> {
  const given = Object.entries(pcrs).flatMap(([name, pcr]) =>
    pcr === undefined ? [] : [[name, pcr] as const],
  )
  return Object.fromEntries(given)
}
