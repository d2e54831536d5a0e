import * as cedar from "@cedar-policy/cedar-wasm/nodejs"
import { type App, NO_CHOSEN_LIMITS } from "@sealway/accounts"
import { createMemoryTable } from "@sealway/ports/testing"
import { NO_STATS } from "@sealway/records/testing"
import { createDataRoles } from "../deciding/data-roles.ts"
import type { DataPolicy } from "../rules/data-policy.ts"
import type { DataRole } from "../rules/data-role.ts"
import type { DecisionContext } from "../rules/decision.ts"
import { contextOf } from "./rules.ts"

export const NOON_MS = Date.UTC(2026, 2, 2, 12)

const app = (id: string): App => ({
  id,
  teamId: "team_1",
  name: "An app",
  environment: "sandbox",
  status: "enabled",
  allowedOrigins: [],
  cardInsights: false,
  sealing: "public-key",
  custody: "envelope",
  erasureDays: null,
  limits: NO_CHOSEN_LIMITS,
  createdAt: 0,
  revision: 1,
})
export const [one, two] = [app("app_1"), app("app_2")]

export function roleOf(slug: string, changes: Partial<DataRole> = {}): DataRole {
  const times = { usedAt: null, createdAt: 0, updatedAt: 0, revision: 1 }
  const state = { archived: false, accessLog: "standard", mask: null } as const
  return { id: `role_${slug}`, slug, name: slug, description: "", ...state, ...times, ...changes }
}

let policies = 0
export function policyOf(slugs: readonly string[], changes: Partial<DataPolicy> = {}): DataPolicy {
  return {
    id: `policy_${String(++policies).padStart(4, "0")}`,
    name: "A policy",
    effect: "permit",
    roles: slugs.map((slug) => ({ id: `role_${slug}`, slug })),
    conditions: {},
    cedar: null,
    createdAt: 0,
    updatedAt: 0,
    revision: 1,
    ...changes,
  }
}

export function setUp() {
  const clock = { ms: NOON_MS, monotonicMs: 1_000 }
  const [configTable, eventsTable] = [createMemoryTable(), createMemoryTable()]
  const logged: string[] = []
  const note = (message: string) => {
    logged.push(message)
  }
  let loads = 0
  const dependencies = {
    configTable,
    eventsTable,
    now: () => clock.monotonicMs,
    wallClock: () => clock.ms,
    log: { warn: note, error: note },
    stats: NO_STATS,
    instantiateCedar: () => {
      loads++
      return cedar
    },
  }
  const dataRoles = createDataRoles(dependencies)
  const decide = async (
    slug: string,
    { values = 1, ...context }: Partial<DecisionContext> & { readonly values?: number } = {},
    app = one,
  ) => (await dataRoles.decide(app, [{ role: slug, values }], contextOf(context))).get(slug)
  return { clock, configTable, eventsTable, logged, loads: () => loads, dataRoles, dependencies, decide }
}
