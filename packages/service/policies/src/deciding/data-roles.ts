import { type App, CONFIGURATION_TTL_MS } from "@sealway/accounts"
import { type Clocks, createCache } from "@sealway/kernel"
import { HIDE_ALL, type Mask } from "@sealway/kernel/masks"
import type { Grant, Log, Table } from "@sealway/ports"
import { OTHERS, type Stats } from "@sealway/records"
import { type InstantiateCedar, instantiateCedar as instantiateOwnCedar } from "../cedar/cedar.ts"
import { createCedarSession } from "../cedar/cedar-session.ts"
import { decideOutcome } from "../cedar/decide-outcome.ts"
import { type PolicyBook, readPolicyBook } from "../records/policy-book.ts"
import { createRoleUse } from "../records/role-use.ts"
import type { AccessLogMode } from "../rules/access-log-mode.ts"
import type { DataRole } from "../rules/data-role.ts"
import type { Decision, DecisionContext, OutcomeVerdict, RoleRequest } from "../rules/decision.ts"
import type { PolicySet } from "../rules/policy-set.ts"
import { type BudgetSpending, createBudgets } from "./budgets.ts"
import { createDecisionLog } from "./decision-log.ts"

/** The AWS permissions that `markUsed` needs. */
export const USE_GRANTS = [
  "dynamodb:Query/config",
  "dynamodb:GetItem/config",
  "dynamodb:PutItem/config",
] as const satisfies readonly Grant[]

/** The AWS permissions that `decide` needs. */
export const DECISION_GRANTS = [
  ...USE_GRANTS,
  "dynamodb:UpdateItem/events",
  "dynamodb:PutItem/events",
] as const satisfies readonly Grant[]

/** The data roles and policies of apps, each at most `CONFIGURATION_TTL_MS` old. */
export interface DataRoles {
  /** Finds an app's role, archived ones included. Returns null when the app has no role with that slug. */
  find(app: App, slug: string): Promise<DataRole | null>
  /**
   * Call it before sealing values with a role. Returns false when there is no such role, or it is archived, and nothing
   * may be sealed with it. Once it returns true, the use is durably recorded, so that the role is not deleted.
   */
  markUsed(app: App, slug: string): Promise<boolean>
  /**
   * Decides whether one request may decrypt values of some roles: one decision per role, by slug. Budgets are only
   * spent when all roles are permitted; if any of them does not suffice, none is. Where policies permit masks only, a
   * request that does not say that it takes them is denied.
   *
   * @throws what the tables throw; nothing may be decrypted then
   */
  decide(
    app: App,
    requests: readonly RoleRequest[],
    context: DecisionContext,
  ): Promise<ReadonlyMap<string, Decision>>
  /** Drops the cached roles and policies of an app in this process, so that they are read again when next needed. */
  forget(appId: string): void
  /** Writes what was recorded for simulations. Call it before the process ends. */
  flush(): Promise<void>
}

export interface DataRolesDependencies extends Clocks {
  readonly configTable: Table
  readonly eventsTable: Pick<Table, "add" | "put">
  readonly log: Pick<Log, "warn" | "error">
  readonly stats: Pick<Stats, "countGroup">
  /** Default: the Cedar that ships with this package. */
  readonly instantiateCedar?: InstantiateCedar
}

/** The policies of one app can be megabytes. */
const MAX_BOOKS = 500

const UNKNOWN_ROLE: OutcomeVerdict = { decision: "deny", reason: "unknown-role", policyIds: [] }

/** A requested role with the verdict of its policies. */
interface RoleCheck extends RoleRequest {
  readonly verdict: Omit<Decision, "accessLog" | "budgets">
  readonly set: PolicySet | null
  readonly accessLog: AccessLogMode
}

export function createDataRoles(dependencies: DataRolesDependencies): DataRoles {
  const { configTable, eventsTable, now, wallClock, log, stats } = dependencies
  const books = createCache<PolicyBook>({ maxEntries: MAX_BOOKS, ttlMs: CONFIGURATION_TTL_MS, now })
  const roleUse = createRoleUse(configTable, wallClock)
  const { engine } = createCedarSession(dependencies.instantiateCedar ?? instantiateOwnCedar, {
    onFailure: (error) => log.error("policies could not be evaluated", { error }),
  })
  const budgets = createBudgets({
    table: eventsTable,
    wallClock,
    onFailure: (error) => log.warn("could not count a budget in advance", { error }),
  })
  const decisionLog = createDecisionLog({
    table: eventsTable,
    now,
    wallClock,
    onFailure: (error) => log.warn("could not record decisions for simulations", { error }),
  })

  async function roleOf(app: App, slug: string): Promise<DataRole | null> {
    const book = await books.get(app.id, () => readPolicyBook(configTable, app.id))
    return book?.role(slug) ?? null
  }

  async function ask(
    app: App,
    request: RoleRequest,
    context: DecisionContext,
    timeMs: number,
  ): Promise<RoleCheck> {
    const book = await books.get(app.id, () => readPolicyBook(configTable, app.id))
    const role = book?.role(request.role) ?? null
    const unknown: RoleCheck = { ...request, verdict: UNKNOWN_ROLE, set: null, accessLog: "standard" }
    if (book === null || role === null) return unknown
    if ((await roleUse.mark(app.id, role)) === null) return unknown
    const set = book.policiesOf(role)
    const question = { appId: app.id, role: role.slug, context, timeMs }
    await engine.prepare(set)
    let outcome = decideOutcome(engine, set, question, role.mask !== null)
    decisionLog.note(app.id, role.slug, context, outcome.decision)
    // A reason that leads to masks is none for whoever takes no masks.
    if (outcome.reason === "reason-required" && (request.reveal ?? "full") === "full") {
      outcome = decideOutcome(engine, set, question, false)
    }
    return { ...request, verdict: answerTo(request, outcome, role.mask), set, accessLog: role.accessLog }
  }

  /** The first budget with room counts the values. If a policy without a budget permits, no budget is needed. */
  async function spend(
    app: App,
    { role, values, verdict, set, accessLog }: RoleCheck,
    { apiKeyId }: DecisionContext,
  ): Promise<{ readonly decision: Decision; readonly spending: BudgetSpending | null }> {
    const permitting = set?.rules.filter(({ id }) => verdict.policyIds.includes(id)) ?? []
    // Masks cost nothing of the budgets of full values, also where full values would be permitted.
    const isMasked = verdict.decision === "masked"
    const limited = permitting.flatMap(({ id, reveal, conditions }) => {
      const budget = conditions?.budget
      return budget === undefined || isMasked !== (reveal === "masked") ? [] : [{ policyId: id, budget }]
    })
    if (limited.length < permitting.length || values === 0)
      return { decision: { ...verdict, accessLog, budgets: [] }, spending: null }
    for (const { policyId, budget } of limited) {
      const spending = await budgets.spend({ appId: app.id, role, policyId, apiKeyId, budget }, values)
      if (spending === null) continue
      const spent = { policyIds: [policyId], budgets: [{ policyId, ...budget }] }
      return { decision: { ...verdict, ...spent, accessLog }, spending }
    }
    const spent = limited.map(({ policyId, budget }) => ({ policyId, ...budget }))
    return {
      decision: { ...verdict, decision: "deny", reason: "over-budget", accessLog, budgets: spent },
      spending: null,
    }
  }

  async function decideAll(
    app: App,
    requests: readonly RoleRequest[],
    context: DecisionContext,
  ): Promise<ReadonlyMap<string, Decision>> {
    const timeMs = wallClock()
    const asked = await Promise.all(requests.map((request) => ask(app, request, context, timeMs)))
    const decisions = new Map<string, Decision>()
    for (const { role, verdict, accessLog } of asked) {
      decisions.set(role, { ...verdict, accessLog, budgets: [] })
    }
    if (asked.some(({ verdict }) => verdict.decision === "deny")) return decisions

    const spendings: BudgetSpending[] = []
    let permitted = false
    try {
      for (const each of asked) {
        const { decision, spending } = await spend(app, each, context)
        decisions.set(each.role, decision)
        if (spending !== null) spendings.push(spending)
        if (decision.decision === "deny") return decisions
      }
      permitted = true
      return decisions
    } finally {
      if (!permitted) for (const spending of spendings) spending.giveBack()
    }
  }

  return {
    find: roleOf,

    async markUsed(app, slug) {
      const role = await roleOf(app, slug)
      if (role === null || role.archived) return false
      const marked = await roleUse.mark(app.id, role)
      return marked !== null && !marked.archived
    },

    async decide(app, requests, context) {
      const decisions = await decideAll(app, requests, context)
      for (const { role, isRefused = false } of requests) {
        const { decision, reason } = decisions.get(role) ?? UNKNOWN_ROLE
        // Its request is refused too, and counted once whatever the number of its roles.
        if (decision !== "deny" && !isRefused) continue
        // Anybody can write a role into a token that was never encrypted: only an app's own roles get a group.
        stats.countGroup(app.id, "role", reason === UNKNOWN_ROLE.reason ? OTHERS : role, { refusals: 1 })
      }
      return decisions
    },
    forget: (appId) => books.forget(appId),
    flush: () => decisionLog.flush(),
  }
}

/** Turns what policies permit into the answer to a request, which may take less, or not take masks. */
function answerTo(
  { reveal = "full" }: Pick<RoleRequest, "reveal">,
  outcome: OutcomeVerdict,
  mask: Mask | null,
): RoleCheck["verdict"] {
  if (outcome.decision === "deny") return outcome
  if (outcome.decision === "masked" && reveal === "full") {
    return { ...outcome, decision: "deny", reason: "masked-only" }
  }
  // Of a role without a mask, a request that takes masks only sees nothing.
  return outcome.decision === "masked" || reveal === "masked"
    ? { ...outcome, decision: "masked", mask: mask ?? HIDE_ALL }
    : outcome
}
