import type { App } from "@sealway/accounts"
import { type CharactersFormat, type Format, formatProblem } from "@sealway/format-cipher"
import { ConflictError, invalidField, isId, NotFoundError } from "@sealway/kernel"
import { requireUsableRole } from "@sealway/policies"
import { type AuditAuthor, type AuditEntry, recordChanges } from "@sealway/records"
import type { FormatDependencies } from "../dependencies.ts"
import { type FormatRecord, formatRecords } from "../records/format-table.ts"

/** The maximum number of an app's formats, archived ones included. */
export const MAX_FORMATS = 100
/** The maximum number of a format's versions. */
export const MAX_FORMAT_VERSIONS = 100
/** What a format is called. Has no underscore, so that no name is an id. */
export const FORMAT_NAME = /^[a-z][a-z0-9-]{0,63}$/

const TAKEN = "The app already has a format with this name, perhaps an archived one."

const formatChanges = recordChanges({
  records: formatRecords,
  max: MAX_FORMATS,
  tooMany: `An app has at most ${MAX_FORMATS} formats.`,
  taken: TAKEN,
  changedMeanwhile: "The format was changed by another request. Read it again.",
})

export interface NewFormat {
  readonly name: string
  readonly description: string
  /** Slug of a data role. */
  readonly role: string
  readonly layout: Format
  readonly versioned: boolean
}

/**
 * Finds a format by id or name. It is read for each request, and not cached: after a rotation, nothing is encrypted with
 * the version before, which nothing in a token would tell.
 *
 * @throws NotFoundError when the app has no such format
 */
export async function requireFormat(
  { configTable }: Pick<FormatDependencies, "configTable">,
  app: App,
  idOrName: string,
): Promise<FormatRecord> {
  const format = isId("format", idOrName)
    ? (await formatRecords.list(configTable, app.id)).find(({ id }) => id === idOrName)
    : FORMAT_NAME.test(idOrName) && (await formatRecords.find(configTable, app.id, { name: idOrName }))
  if (!format) throw new NotFoundError("The format")
  return format
}

/**
 * Finds a format that encrypts.
 *
 * @throws NotFoundError when the app has no such format, ConflictError when it is archived
 */
export async function requireFormatInUse(
  dependencies: Pick<FormatDependencies, "configTable">,
  app: App,
  idOrName: string,
): Promise<FormatRecord> {
  const format = await requireFormat(dependencies, app, idOrName)
  if (format.archived) throw new ConflictError("The format is archived, and encrypts no more.")
  return format
}

/**
 * Creates a format with its first version.
 *
 * @throws InvalidRequestError when values of the format would be too easy to guess, or there is no such role
 * @throws ConflictError when the app has a format with the name, or the maximum number
 */
export async function addFormat(
  dependencies: FormatDependencies,
  app: App,
  { role, layout, ...given }: NewFormat,
  author: AuditAuthor,
): Promise<FormatRecord> {
  const { configTable, dataRoles, draws, keyring, wallClock } = dependencies
  if (layout.kind === "characters") requireLayout(layout)
  if (given.versioned && !hasRoomForVersion(layout)) {
    throw invalidField(
      "/versioned",
      'Only formats of characters with `luhn: "any"` can name the version in their tokens.',
    )
  }
  await requireUsableRole(dataRoles, app, "/role", role)
  formatChanges.requireRoom(await formatRecords.list(configTable, app.id))
  const createdAt = wallClock()
  const format: FormatRecord = {
    ...given,
    id: draws.newId("format", createdAt),
    role,
    layout,
    keyVersions: [(await keyring.newest(app, "secret")).version],
    archived: false,
    createdAt,
    updatedAt: createdAt,
    revision: 1,
  }
  return formatChanges.create(dependencies, entryOf(app, format, "create", author), app.id, format)
}

/** @throws InvalidRequestError when less than the smallest domain would be left */
function requireLayout(layout: CharactersFormat): void {
  const problem = formatProblem(layout)
  if (problem !== null) throw invalidField(`/${problem.field}`, problem.message)
}

function hasRoomForVersion(layout: Format): boolean {
  return layout.kind === "characters" && layout.luhn === "any"
}

/**
 * Changes the description of a format, or archives or restores it: an archived format decrypts, and encrypts no more.
 *
 * @throws NotFoundError when the app has no such format, ConflictError when another call changes it at the same time
 */
export async function changeFormat(
  dependencies: FormatDependencies,
  app: App,
  idOrName: string,
  changes: { readonly description?: string; readonly archived?: boolean },
  author: AuditAuthor,
): Promise<FormatRecord> {
  const format = await requireFormat(dependencies, app, idOrName)
  const changed = { ...format, ...changes, updatedAt: dependencies.wallClock() }
  return formatChanges.replace(dependencies, entryOf(app, changed, "update", author), app.id, changed)
}

/**
 * Adds a version with a new key, which encrypts from now on. Tokens of earlier versions still open.
 *
 * @throws NotFoundError when the app has no such format
 * @throws ConflictError when it has the maximum number of versions, or another call changes it at the same time
 */
export async function addVersion(
  dependencies: FormatDependencies,
  app: App,
  idOrName: string,
  author: AuditAuthor,
): Promise<FormatRecord> {
  const format = await requireFormat(dependencies, app, idOrName)
  if (format.keyVersions.length >= mostVersionsOf(format)) {
    throw new ConflictError(`The format has ${format.keyVersions.length} versions, and can have no more.`)
  }
  const { version } = await dependencies.keyring.newest(app, "secret")
  const keyVersions = [...format.keyVersions, version]
  const changed = { ...format, keyVersions, updatedAt: dependencies.wallClock() }
  return formatChanges.replace(dependencies, entryOf(app, changed, "rotate", author), app.id, changed)
}

/** A token names its version by one character. */
function mostVersionsOf({ versioned, layout }: FormatRecord): number {
  return versioned && layout.kind === "characters" ? [...layout.alphabet].length : MAX_FORMAT_VERSIONS
}

function entryOf(
  app: App,
  { id, name, role, archived, keyVersions }: FormatRecord,
  verb: "create" | "update" | "rotate",
  author: AuditAuthor,
): AuditEntry {
  return {
    ...author,
    teamId: app.teamId,
    appId: app.id,
    action: `format.${verb}`,
    target: { type: "format", id },
    details: { name, role, archived, version: keyVersions.length },
  }
}
