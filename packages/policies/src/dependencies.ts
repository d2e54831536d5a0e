import type { AuditLog, Draws, Platform, Table } from "@sealway/platform"
import { type InstantiateCedar, instantiateCedar as instantiateOwnCedar } from "./cedar/cedar.ts"
import { type CedarSession, createCedarSession } from "./cedar/cedar-session.ts"
import type { DataRoles } from "./deciding/data-roles.ts"

/** What the endpoints of this package need. */
export interface PolicyDependencies {
  readonly configTable: Table
  readonly eventsTable: Table
  readonly audit: AuditLog
  readonly draws: Draws
  readonly dataRoles: DataRoles
  /**
   * Not the one that decides on decryptions: what callers try out neither pushes its policies out of memory, nor stops its
   * instance of Cedar.
   */
  readonly cedarSession: CedarSession
  /** Epoch milliseconds. */
  readonly wallClock: () => number
}

const MAX_WEIGHT = 1_000_000

/** @param instantiateCedar default: the Cedar that comes with this package */
export function createPolicyDependencies(
  {
    configTable,
    eventsTable,
    audit,
    draws,
    wallClock,
    log,
  }: Pick<Platform, "configTable" | "eventsTable" | "audit" | "draws" | "wallClock" | "log">,
  dataRoles: DataRoles,
  instantiateCedar: InstantiateCedar = instantiateOwnCedar,
): PolicyDependencies {
  const onFailure = (error: unknown) => log.error("policies could not be evaluated", { error })
  const cedarSession = createCedarSession(instantiateCedar, { maxWeight: MAX_WEIGHT, onFailure })
  return { configTable, eventsTable, audit, draws, dataRoles, cedarSession, wallClock }
}
