import { ConflictError, isId, NotFoundError } from "@sealway/kernel"
import { type App, type AuditAuthor, type AuditEntry, audited, keepWithinLimit } from "@sealway/platform"
import type { PolicyDependencies } from "../dependencies.ts"
import {
  createDataRole,
  findDataRole,
  listDataRoles,
  removeDataRole,
  replaceDataRole,
} from "../records/data-role-table.ts"
import { readPolicyBook } from "../records/policy-book.ts"
import type { AccessLogMode } from "../rules/access-log-mode.ts"
import { type DataRole, MAX_ROLES } from "../rules/data-role.ts"

const TOO_MANY = `An app has at most ${MAX_ROLES} data roles.`

export interface RoleChanges {
  readonly name?: string | undefined
  readonly description?: string | undefined
  readonly archived?: boolean | undefined
  readonly accessLog?: AccessLogMode | undefined
}

/**
 * @param idOrSlug the two cannot be confused: no slug holds an underscore
 * @throws NotFoundError when the app has no such role
 */
export async function requireRole(
  { configTable }: Pick<PolicyDependencies, "configTable">,
  app: App,
  idOrSlug: string,
): Promise<DataRole> {
  const role = isId("role", idOrSlug)
    ? ((await listDataRoles(configTable, app.id)).find(({ id }) => id === idOrSlug) ?? null)
    : await findDataRole(configTable, app.id, idOrSlug)
  if (role === null) throw new NotFoundError("The data role")
  return role
}

/** @throws ConflictError when the app has a role of the slug, archived ones too, or as many roles as it may */
export async function addRole(
  { configTable, audit, dataRoles, draws, wallClock }: PolicyDependencies,
  app: App,
  { slug, name, description, accessLog }: Pick<DataRole, "slug" | "name" | "description" | "accessLog">,
  author: AuditAuthor,
): Promise<DataRole> {
  const roles = await listDataRoles(configTable, app.id)
  if (roles.some((each) => each.slug === slug)) throw slugTaken()
  if (roles.length >= MAX_ROLES) throw new ConflictError(TOO_MANY)
  const createdAt = wallClock()
  const role: DataRole = {
    id: draws.newId("role", createdAt),
    ...{ slug, name, description, archived: false, usedAt: null, accessLog },
    ...{ createdAt, updatedAt: createdAt, revision: 1 },
  }
  return audited(audit, entryOf(app, role, "create", author), async () => {
    if (!(await createDataRole(configTable, app.id, role))) throw slugTaken()
    await keepWithinLimit({
      id: role.id,
      count: async () => {
        const ids = (await listDataRoles(configTable, app.id)).map(({ id }) => id)
        return [{ ids, max: MAX_ROLES, refusal: TOO_MANY }]
      },
      undo: async () => {
        const found = await findDataRole(configTable, app.id, slug)
        // A role that somebody has sealed a value with meanwhile stays: the value needs it.
        const isLeft = found?.id !== role.id || found.usedAt !== null
        return isLeft || removeDataRole(configTable, app.id, found)
      },
    })
    dataRoles.forget(app.id)
    return role
  })
}

/**
 * @throws NotFoundError when the app has no such role, ConflictError when another call changes it at the same time
 */
export async function changeRole(
  { configTable, audit, dataRoles, wallClock }: PolicyDependencies,
  app: App,
  idOrSlug: string,
  changes: RoleChanges,
  author: AuditAuthor,
): Promise<DataRole> {
  const role = await requireRole({ configTable }, app, idOrSlug)
  const changed: DataRole = {
    ...role,
    name: changes.name ?? role.name,
    description: changes.description ?? role.description,
    archived: changes.archived ?? role.archived,
    accessLog: changes.accessLog ?? role.accessLog,
    updatedAt: wallClock(),
  }
  return audited(audit, entryOf(app, changed, "update", author), async () => {
    if (!(await replaceDataRole(configTable, app.id, changed))) throw changedMeanwhile()
    dataRoles.forget(app.id)
    return changed
  })
}

/**
 * Deletes a role that was never used; archives one that was, since values have it and follow its policies.
 *
 * @returns the role when it was archived, null when it is gone
 * @throws NotFoundError when the app has no such role, ConflictError when policies are attached to a role that
 * would go, or another call changes it at the same time
 */
export async function removeRole(
  { configTable, audit, dataRoles, wallClock }: PolicyDependencies,
  app: App,
  idOrSlug: string,
  author: AuditAuthor,
): Promise<DataRole | null> {
  const role = await requireRole({ configTable }, app, idOrSlug)
  if (role.usedAt !== null) {
    if (role.archived) return role
    const archived = { ...role, archived: true, updatedAt: wallClock() }
    return audited(audit, entryOf(app, archived, "archive", author), async () => {
      if (!(await replaceDataRole(configTable, app.id, archived))) throw changedMeanwhile()
      dataRoles.forget(app.id)
      return archived
    })
  }
  const { rules } = (await readPolicyBook(configTable, app.id)).policiesOf(role)
  if (rules.length > 0) {
    throw new ConflictError("Policies are attached to the data role. Detach or delete them first.")
  }
  return audited(audit, entryOf(app, role, "delete", author), async () => {
    // A value that is sealed with the role meanwhile has changed it, and it stays.
    if (!(await removeDataRole(configTable, app.id, role))) throw changedMeanwhile()
    dataRoles.forget(app.id)
    return null
  })
}

function entryOf(
  app: App,
  { id, slug, archived, accessLog }: DataRole,
  verb: string,
  author: AuditAuthor,
): AuditEntry {
  return {
    ...author,
    teamId: app.teamId,
    appId: app.id,
    action: `data-role.${verb}`,
    target: { type: "data-role", id },
    details: { slug, archived, accessLog },
  }
}

function slugTaken(): ConflictError {
  return new ConflictError("The app has a data role of this slug, or had one that is archived.")
}

function changedMeanwhile(): ConflictError {
  return new ConflictError("The data role was changed meanwhile. Read it again.")
}
