import { InvalidRequestError, isId, NotFoundError, requireDestinationUrl } from "@sealway/kernel"
import { type App, type AuditAuthor, type AuditEntry, recordChanges } from "@sealway/platform"
import type { HoneyDependencies } from "../dependencies.ts"
import { createMark, type HoneyToken, honeyTokenRecords, removeMark } from "../records/honey-token-table.ts"
import { watchRefusals } from "../records/refusal-watch.ts"
import { type MadeUpValue, makeUp, makeUpLike, SHAPE_BYTES, type Shape } from "../values/made-up.ts"
import { readPattern } from "../values/read-pattern.ts"
import { sealHoney } from "../values/seal-honey.ts"

/** The maximum number of an app's honey tokens. */
export const MAX_HONEY_TOKENS = 500
/** The largest value of a honey token, in UTF-8. */
export const MAX_VALUE_BYTES = 1_000

/** What to seal. */
export type HoneyContent =
  | { readonly value: string | number | boolean; readonly role: string | null }
  | { readonly shape: Shape; readonly role: string | null }
  /** A token of the app, whose type, role and length it takes. */
  | { readonly like: string }

export interface HoneyTokenInput {
  readonly name: string
  readonly content: HoneyContent
  readonly alert: { readonly type: NonNullable<HoneyToken["alertType"]>; readonly url: string } | null
}

const honeyChanges = recordChanges({
  records: honeyTokenRecords,
  max: MAX_HONEY_TOKENS,
  tooMany: `An app has at most ${MAX_HONEY_TOKENS} honey tokens.`,
  changedMeanwhile: "Another request has deleted this honey token.",
})

/** Finds a honey token. @throws NotFoundError when the app has no such honey token */
export async function requireHoneyToken(
  { configTable }: Pick<HoneyDependencies, "configTable">,
  app: App,
  id: string,
): Promise<HoneyToken> {
  const found = isId("honey_token", id) ? await honeyTokenRecords.find(configTable, app.id, { id }) : null
  if (found === null) throw new NotFoundError("The honey token")
  return found
}

/**
 * Creates a honey token.
 *
 * @throws ConflictError when the app has the maximum number
 * @throws InvalidRequestError when there is no such role, the value is too large, or the URL is not allowed
 * @throws DecryptionForbiddenError when it is to be like a honey token
 */
export async function addHoneyToken(
  dependencies: HoneyDependencies,
  app: App,
  { name, content, alert }: HoneyTokenInput,
  author: AuditAuthor,
): Promise<HoneyToken> {
  const { configTable, keyring, dataRoles, draws, events, allowPrivateDestinations, wallClock } = dependencies
  if (alert !== null)
    requireDestinationUrl(alert.url, "/alert/url", { allowPrivate: allowPrivateDestinations })
  honeyChanges.requireRoom(await honeyTokenRecords.list(configTable, app.id))
  const { value, role } = await readContent(dependencies, app, content)
  if (role !== null && !(await dataRoles.markUsed(app, role))) {
    throw invalidField("/role", "There is no data role with this slug, or it is archived.")
  }
  const createdAt = wallClock()
  const encryptedAt = Math.floor(createdAt / 1000)
  const honeyToken: HoneyToken = {
    ...(await sealHoney(keyring, app, value, { role, encryptedAt })),
    ...{ id: draws.newId("honey_token", createdAt), name, type: value.type, role },
    ...{ alertType: alert?.type ?? null, url: alert?.url ?? null, createdAt, revision: 1 },
  }
  await watchRefusals(configTable, app.id)
  events.forget(app.id)
  await honeyChanges.create(dependencies, entryOf(app, honeyToken, "create", author), app.id, honeyToken)
  // A repeated request may have created it before, and then with another token.
  const stored = await requireHoneyToken(dependencies, app, honeyToken.id)
  await createMark(configTable, app.id, stored)
  return stored
}

/**
 * Deletes a honey token. It still cannot be decrypted; attempts raise no event any more.
 *
 * @throws NotFoundError when the app has no such honey token, ConflictError when another call deletes it first
 */
export async function removeHoneyToken(
  dependencies: HoneyDependencies,
  app: App,
  id: string,
  author: AuditAuthor,
): Promise<void> {
  const honeyToken = await requireHoneyToken(dependencies, app, id)
  await honeyChanges.remove(dependencies, entryOf(app, honeyToken, "delete", author), app.id, honeyToken)
  await removeMark(dependencies.configTable, app.id, honeyToken)
}

async function readContent(
  { keyring, draws }: HoneyDependencies,
  app: App,
  content: HoneyContent,
): Promise<{ readonly value: MadeUpValue; readonly role: string | null }> {
  if ("like" in content) {
    const { type, value, role } = await readPattern(keyring, app, "/like", content.like)
    requireSize("/like", value.length)
    return { value: makeUpLike(type, draws.randomBytes(value.length)), role }
  }
  const { role } = content
  if ("shape" in content) return { value: makeUp(content.shape, draws.randomBytes(SHAPE_BYTES)), role }
  const { value } = content
  requireSize("/value", Buffer.byteLength(String(value)))
  if (typeof value === "string") {
    if (!value.isWellFormed()) throw invalidField("/value", "The value contains half a surrogate pair.")
    return { value: { type: "string", text: value }, role }
  }
  return {
    value: { type: typeof value === "number" ? "number" : "boolean", text: JSON.stringify(value) },
    role,
  }
}

function requireSize(pointer: string, bytes: number): void {
  if (bytes > MAX_VALUE_BYTES) {
    throw invalidField(pointer, `The value of a honey token has at most ${MAX_VALUE_BYTES} bytes.`)
  }
}

function invalidField(pointer: string, reason: string): InvalidRequestError {
  return new InvalidRequestError(reason, { fields: [{ pointer, reason }] })
}

/** Shows only the host of the URL: paths and parameters of receivers are often secrets. */
function entryOf(
  app: App,
  { id, name, role, url }: HoneyToken,
  verb: "create" | "delete",
  author: AuditAuthor,
): AuditEntry {
  return {
    ...author,
    teamId: app.teamId,
    appId: app.id,
    action: `honey-token.${verb}`,
    target: { type: "honey-token", id },
    details: { name, role, alertHost: url === null ? null : (URL.parse(url)?.host ?? null) },
  }
}
