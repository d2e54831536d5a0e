import type { App } from "@sealway/accounts"
import { ConflictError, isId, NotFoundError } from "@sealway/kernel"
import { type AuditAuthor, type AuditEntry, recordChanges } from "@sealway/records"
import type { PolicyDependencies } from "../dependencies.ts"
import { findDataRole, roleRecords } from "../records/data-role-table.ts"
import { readPolicyBook } from "../records/policy-book.ts"
import type { AccessLogMode } from "../rules/access-log-mode.ts"
import { type DataRole, MAX_ROLES } from "../rules/data-role.ts"

const TAKEN = "The app already has a data role with this slug, perhaps an archived one."

const roleChanges = recordChanges({
  records: roleRecords,
  max: MAX_ROLES,
  tooMany: `An app has at most ${MAX_ROLES} data roles.`,
  taken: TAKEN,
  changedMeanwhile: "The data role was changed by another request. Read it again.",
  // A role that was used to seal a value since stays: the value needs it.
  mayBeUndone: ({ usedAt }) => usedAt === null,
  forget: ({ dataRoles }: PolicyDependencies, appId) => dataRoles.forget(appId),
})

export interface RoleChanges {
  readonly name?: string | undefined
  readonly description?: string | undefined
  readonly archived?: boolean | undefined
  readonly accessLog?: AccessLogMode | undefined
  /** Null removes it. */
  readonly mask?: DataRole["mask"] | undefined
}

/**
 * Finds a role by id or slug.
 *
 * @param idOrSlug the two cannot be confused: no slug has an underscore
 * @throws NotFoundError when the app has no such role
 */
export async function requireRole(
  { configTable }: Pick<PolicyDependencies, "configTable">,
  app: App,
  idOrSlug: string,
): Promise<DataRole> {
  const role = isId("role", idOrSlug)
    ? ((await roleRecords.list(configTable, app.id)).find(({ id }) => id === idOrSlug) ?? null)
    : await findDataRole(configTable, app.id, idOrSlug)
  if (role === null) throw new NotFoundError("The data role")
  return role
}

/**
 * Creates a role.
 *
 * @throws ConflictError when the app has a role with the slug, archived or not, or the maximum number of roles
 */
export async function addRole(
  dependencies: PolicyDependencies,
  app: App,
  {
    slug,
    name,
    description,
    accessLog,
    mask,
  }: Pick<DataRole, "slug" | "name" | "description" | "accessLog" | "mask">,
  author: AuditAuthor,
): Promise<DataRole> {
  const { configTable, draws, wallClock } = dependencies
  const roles = await roleRecords.list(configTable, app.id)
  if (roles.some((each) => each.slug === slug)) throw new ConflictError(TAKEN)
  roleChanges.requireRoom(roles)
  const createdAt = wallClock()
  const role: DataRole = {
    id: draws.newId("role", createdAt),
    slug,
    name,
    description,
    archived: false,
    usedAt: null,
    accessLog,
    mask,
    createdAt,
    updatedAt: createdAt,
    revision: 1,
  }
  return roleChanges.create(dependencies, entryOf(app, role, "create", author), app.id, role)
}

/**
 * Changes a role.
 *
 * @throws NotFoundError when the app has no such role, ConflictError when another call changes it at the same time
 */
export async function changeRole(
  dependencies: PolicyDependencies,
  app: App,
  idOrSlug: string,
  changes: RoleChanges,
  author: AuditAuthor,
): Promise<DataRole> {
  const role = await requireRole(dependencies, app, idOrSlug)
  const changed: DataRole = {
    ...role,
    name: changes.name ?? role.name,
    description: changes.description ?? role.description,
    archived: changes.archived ?? role.archived,
    accessLog: changes.accessLog ?? role.accessLog,
    mask: changes.mask === undefined ? role.mask : changes.mask,
    updatedAt: dependencies.wallClock(),
  }
  return roleChanges.replace(dependencies, entryOf(app, changed, "update", author), app.id, changed)
}

/**
 * Deletes a role that was never used; archives one that was, because values carry it and follow its policies.
 *
 * @returns the role when it was archived, null when it was deleted
 * @throws NotFoundError when the app has no such role, ConflictError when policies are attached to a role that would be
 * deleted, or another call changes it at the same time
 */
export async function removeRole(
  dependencies: PolicyDependencies,
  app: App,
  idOrSlug: string,
  author: AuditAuthor,
): Promise<DataRole | null> {
  const role = await requireRole(dependencies, app, idOrSlug)
  if (role.usedAt !== null) {
    if (role.archived) return role
    const archived = { ...role, archived: true, updatedAt: dependencies.wallClock() }
    return roleChanges.replace(dependencies, entryOf(app, archived, "archive", author), app.id, archived)
  }
  const { rules } = (await readPolicyBook(dependencies.configTable, app.id)).policiesOf(role)
  if (rules.length > 0) {
    throw new ConflictError("Policies are attached to the data role. Detach or delete them first.")
  }
  // If a value was sealed with the role meanwhile, the role has changed, and it stays.
  await roleChanges.remove(dependencies, entryOf(app, role, "delete", author), app.id, role)
  return null
}

function entryOf(
  app: App,
  { id, slug, archived, accessLog, mask }: DataRole,
  verb: string,
  author: AuditAuthor,
): AuditEntry {
  return {
    ...author,
    teamId: app.teamId,
    appId: app.id,
    action: `data-role.${verb}`,
    target: { type: "data-role", id },
    details: { slug, archived, accessLog, mask: mask && JSON.stringify(mask) },
  }
}
