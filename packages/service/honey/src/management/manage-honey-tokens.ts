import type { App } from "@sealway/accounts"
import { ConflictError, invalidField, isId, NotFoundError, requireDestinationUrl } from "@sealway/kernel"
import { requireUsableRole } from "@sealway/policies"
import { type AuditAuthor, type AuditEntry, appEntry, recordChanges } from "@sealway/records"
import { sealBeside } from "@sealway/tokens"
import type { HoneyDependencies } from "../dependencies.ts"
import { createMark, type HoneyToken, honeyTokenRecords } from "../records/honey-token-table.ts"
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
  /** A token of the app, whose key, type, role and length it takes. */
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
 * @throws ConflictError when the app has the maximum number, or the token that it is like has five beside it already
 * @throws InvalidRequestError when there is no such role, the value is too large, or the URL is not allowed
 * @throws DecryptionForbiddenError when it is to be like a honey token
 */
export async function addHoneyToken(
  dependencies: HoneyDependencies,
  app: App,
  { name, content, alert }: HoneyTokenInput,
  author: AuditAuthor,
): Promise<HoneyToken> {
  const { configTable, draws, events, allowPrivateDestinations, wallClock } = dependencies
  if (alert !== null)
    requireDestinationUrl(alert.url, "/alert/url", { allowPrivate: allowPrivateDestinations })
  honeyChanges.requireRoom(await honeyTokenRecords.list(configTable, app.id))
  const createdAt = wallClock()
  const id = draws.newId("honey_token", createdAt)
  const honeyToken: HoneyToken = {
    ...(await seal(dependencies, app, content, { id, createdAt })),
    id,
    name,
    alertType: alert?.type ?? null,
    url: alert?.url ?? null,
    createdAt,
    revision: 1,
  }
  await watchRefusals(configTable, app.id)
  events.forget(app.id)
  await honeyChanges.create(dependencies, entryOf(app, honeyToken, "create", author), app.id, honeyToken)
  // A repeated request may have created it before, and then with another token.
  return requireHoneyToken(dependencies, app, honeyToken.id)
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
}

type NewHoney = Pick<HoneyToken, "id" | "createdAt">
type Sealed = Pick<HoneyToken, "token" | "mark" | "type" | "role">

async function seal(
  dependencies: HoneyDependencies,
  app: App,
  content: HoneyContent,
  given: NewHoney,
): Promise<Sealed> {
  if ("like" in content) return sealLike(dependencies, app, content.like, given)
  const { role } = content
  await requireUsableRole(dependencies.dataRoles, app, "/role", role)
  const value = valueFor(content, dependencies)
  const encryptedAt = Math.floor(given.createdAt / 1000)
  const sealed = await sealHoney(dependencies.keyring, app, value, { role, encryptedAt })
  await createMark(dependencies.configTable, app.id, { ...given, mark: sealed.mark })
  return { ...sealed, type: value.type, role }
}

/**
 * Seals with the key of another token. Values that were encrypted together have the same key segment: among them, one with
 * a segment of its own would stand out.
 */
async function sealLike(
  dependencies: HoneyDependencies,
  app: App,
  like: string,
  { id, createdAt }: NewHoney,
): Promise<Sealed> {
  const { configTable, keyring, draws } = dependencies
  const { by, opened, marks } = await readPattern(keyring, app, "/like", like)
  const { type, value, role } = opened
  requireSize("/like", value.length)
  await requireUsableRole(dependencies.dataRoles, app, "/like", role)
  const { text } = makeUpLike(type, draws.randomBytes(value.length))
  const metadata = { role, encryptedAt: Math.floor(createdAt / 1000) }
  for (const iv of marks) {
    const token = sealBeside(by, iv, type, text, metadata)
    if (token?.length !== like.length) {
      throw invalidField("/like", "Sealway writes no tokens of this form any more. Rewrap it first.")
    }
    const mark = iv.toString("base64")
    // Reserved for good: no two values may have the same key and IV.
    if (await createMark(configTable, app.id, { mark, id })) return { token, mark, type, role }
  }
  throw new ConflictError(
    `${marks.length} honey tokens have the key of this token already. Take one that was encrypted at another time.`,
  )
}

function valueFor(
  content: Exclude<HoneyContent, { readonly like: string }>,
  { draws }: HoneyDependencies,
): MadeUpValue {
  if ("shape" in content) return makeUp(content.shape, draws.randomBytes(SHAPE_BYTES))
  const { value } = content
  requireSize("/value", Buffer.byteLength(String(value)))
  if (typeof value === "string") return { type: "string", text: value }
  return { type: typeof value === "number" ? "number" : "boolean", text: JSON.stringify(value) }
}

function requireSize(pointer: string, bytes: number): void {
  if (bytes > MAX_VALUE_BYTES) {
    throw invalidField(pointer, `The value of a honey token has at most ${MAX_VALUE_BYTES} bytes.`)
  }
}

/** Shows only the host of the URL: paths and parameters of receivers are often secrets. */
function entryOf(
  app: App,
  { id, name, role, url }: HoneyToken,
  verb: "create" | "delete",
  author: AuditAuthor,
): AuditEntry {
  const alertHost = url === null ? null : (URL.parse(url)?.host ?? null)
  return appEntry(app, { type: "honey-token", id }, verb, author, { name, role, alertHost })
}
