import { setImmediate } from "node:timers/promises"
import type { App } from "@sealway/accounts"
import {
  ConflictError,
  type FieldProblem,
  InvalidRequestError,
  isId,
  jsonPointer,
  NotFoundError,
} from "@sealway/kernel"
import { keepWithinLimit, type LimitedCount } from "@sealway/ports"
import { type AuditAuthor, type AuditEntry, audited, recordChanges } from "@sealway/records"
import { checkRawPolicy } from "../cedar/raw-policy.ts"
import type { PolicyDependencies } from "../dependencies.ts"
import { policyRecords } from "../records/data-policy-table.ts"
import { type PolicyBook, readPolicyBook } from "../records/policy-book.ts"
import { type DataPolicy, MAX_POLICIES, MAX_POLICIES_PER_ROLE } from "../rules/data-policy.ts"
import { type PolicyInput, policyProblems, ruleOf } from "../rules/policy-input.ts"

const TOO_MANY = `An app has at most ${MAX_POLICIES} data policies.`
const CHANGED_MEANWHILE = "The data policy was changed by another request. Read it again."
const TOO_MANY_OF_ROLE = `A data role has at most ${MAX_POLICIES_PER_ROLE} data policies.`

const policyChanges = recordChanges({
  records: policyRecords,
  max: MAX_POLICIES,
  tooMany: TOO_MANY,
  changedMeanwhile: CHANGED_MEANWHILE,
  forget: ({ dataRoles }: PolicyDependencies, appId) => dataRoles.forget(appId),
})

/** Finds a policy. @throws NotFoundError when the app has no such policy */
export async function requirePolicy(
  { configTable }: Pick<PolicyDependencies, "configTable">,
  app: App,
  id: string,
): Promise<DataPolicy> {
  const policy = isId("policy", id) ? await policyRecords.find(configTable, app.id, { id }) : null
  if (policy === null) throw new NotFoundError("The data policy")
  return policy
}

/**
 * Creates a policy.
 *
 * @throws InvalidRequestError when it is attached to a role that does not exist, or its Cedar is invalid, ConflictError
 * when the app or a role already has the maximum number of policies
 */
export async function addPolicy(
  dependencies: PolicyDependencies,
  app: App,
  input: PolicyInput,
  author: AuditAuthor,
): Promise<DataPolicy> {
  const { configTable, draws, wallClock } = dependencies
  await refuseUnfitCedar(dependencies, [input], () => "")
  const book = await readPolicyBook(configTable, app.id)
  policyChanges.requireRoom(book.policies)
  const createdAt = wallClock()
  const policy: DataPolicy = {
    id: draws.newId("policy", createdAt),
    name: input.name,
    ...ruleOf(input),
    roles: attachedRoles(book, input.roles, null),
    createdAt,
    updatedAt: createdAt,
    revision: 1,
  }
  const entry = entryOf(app, policy, "create", author)
  return policyChanges.create(dependencies, entry, app.id, policy, async () => {
    const after = await readPolicyBook(configTable, app.id)
    return [countOf(after.policies, MAX_POLICIES, TOO_MANY), ...countsOfRoles(after, policy.roles)]
  })
}

/**
 * Changes a policy. Fields that are not given stay the same. Conditions replace Cedar, and the reverse.
 *
 * @throws NotFoundError when the app has no such policy, and what `addPolicy` throws
 */
export async function changePolicy(
  dependencies: PolicyDependencies,
  app: App,
  id: string,
  changes: { readonly [Member in keyof PolicyInput]?: PolicyInput[Member] | undefined },
  author: AuditAuthor,
): Promise<DataPolicy> {
  const { configTable, audit, dataRoles, wallClock } = dependencies
  const policy = await requirePolicy(dependencies, app, id)
  const keeps = changes.conditions === undefined && changes.cedar === undefined
  const rule = {
    effect: changes.effect ?? policy.effect,
    reveal: changes.reveal !== undefined || changes.cedar !== undefined ? changes.reveal : policy.reveal,
    requiresReason: changes.requiresReason ?? policy.requiresReason,
    conditions: keeps ? (policy.conditions ?? undefined) : changes.conditions,
    cedar: keeps ? (policy.cedar ?? undefined) : changes.cedar,
  }
  refuseProblems(
    policyProblems(rule).map(({ path, message }) => ({ pointer: jsonPointer(path), reason: `${message}.` })),
  )
  await refuseUnfitCedar(dependencies, [rule], () => "")
  const book = await readPolicyBook(configTable, app.id)
  const changed: DataPolicy = {
    ...policy,
    ...ruleOf(rule),
    name: changes.name ?? policy.name,
    roles: changes.roles === undefined ? policy.roles : attachedRoles(book, changes.roles, policy.id),
    updatedAt: wallClock(),
  }
  return audited(audit, entryOf(app, changed, "update", author), async () => {
    const stored = await policyRecords.replace(configTable, app.id, changed)
    if (stored === null) throw new ConflictError(CHANGED_MEANWHILE)
    const added = changed.roles.filter(({ id }) => !policy.roles.some((role) => role.id === id))
    if (added.length > 0) {
      await keepWithinLimit({
        id: policy.id,
        count: async () => countsOfRoles(await readPolicyBook(configTable, app.id), added),
        undo: async () => {
          const found = await policyRecords.find(configTable, app.id, policy)
          if (found === null) return true
          // If another call has changed it since, only the roles that are too many are taken back.
          const before = found.revision === stored.revision ? policy : without(found, added)
          const undone = { ...before, revision: found.revision }
          return (await policyRecords.replace(configTable, app.id, undone)) !== null
        },
      })
    }
    dataRoles.forget(app.id)
    return stored
  })
}

/**
 * Deletes a policy.
 *
 * @throws NotFoundError when the app has no such policy, ConflictError when another call changes it at the same time
 */
export async function removePolicy(
  dependencies: PolicyDependencies,
  app: App,
  id: string,
  author: AuditAuthor,
): Promise<void> {
  const policy = await requirePolicy(dependencies, app, id)
  await policyChanges.remove(dependencies, entryOf(app, policy, "delete", author), app.id, policy)
}

/**
 * Checks the policies written in Cedar.
 *
 * @param placeOf returns the pointer to a policy
 * @throws InvalidRequestError when one of them is invalid
 */
export async function refuseUnfitCedar(
  { cedarSession }: Pick<PolicyDependencies, "cedarSession">,
  policies: readonly Pick<PolicyInput, "effect" | "cedar">[],
  placeOf: (index: number) => string,
): Promise<void> {
  const problems: FieldProblem[] = []
  for (const [index, { cedar: text, effect }] of policies.entries()) {
    if (text === undefined) continue
    // Hundreds of them take a second, so others get their turn in between.
    await setImmediate()
    const problem = checkRawPolicy(cedarSession.cedar(), text, effect)
    if (problem !== null) problems.push({ pointer: `${placeOf(index)}/cedar`, reason: `${problem.reason}.` })
  }
  refuseProblems(problems)
}

function refuseProblems(fields: readonly FieldProblem[]): void {
  if (fields.length > 0) throw new InvalidRequestError("The data policy is invalid.", { fields })
}

function attachedRoles(
  book: PolicyBook,
  slugs: readonly string[],
  policyId: string | null,
): DataPolicy["roles"] {
  const missing: FieldProblem[] = []
  const roles = slugs.flatMap((slug, index) => {
    const role = book.role(slug)
    if (role === null) {
      missing.push({ pointer: `/roles/${index}`, reason: "The app has no data role with this slug." })
      return []
    }
    const others = book.policiesOf(role).rules.filter(({ id }) => id !== policyId)
    if (others.length >= MAX_POLICIES_PER_ROLE) throw new ConflictError(TOO_MANY_OF_ROLE)
    return [{ id: role.id, slug }]
  })
  refuseProblems(missing)
  return roles
}

function countOf(policies: readonly { readonly id: string }[], max: number, refusal: string): LimitedCount {
  return { ids: policies.map(({ id }) => id), max, refusal }
}

function countsOfRoles(book: PolicyBook, roles: DataPolicy["roles"]): readonly LimitedCount[] {
  return roles.flatMap(({ slug }) => {
    const role = book.role(slug)
    if (role === null) return []
    return [countOf(book.policiesOf(role).rules, MAX_POLICIES_PER_ROLE, TOO_MANY_OF_ROLE)]
  })
}

function without(policy: DataPolicy, roles: DataPolicy["roles"]): DataPolicy {
  return { ...policy, roles: policy.roles.filter(({ id }) => !roles.some((role) => role.id === id)) }
}

function entryOf(app: App, policy: DataPolicy, verb: string, author: AuditAuthor): AuditEntry {
  const { id, name, effect, reveal = null, requiresReason = false, roles } = policy
  return {
    ...author,
    teamId: app.teamId,
    appId: app.id,
    action: `data-policy.${verb}`,
    target: { type: "data-policy", id },
    details: { name, effect, reveal, requiresReason, roles: roles.map(({ slug }) => slug).join(" ") },
  }
}
