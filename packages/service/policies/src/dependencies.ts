import type { Platform } from "@sealway/http"
import type { Draws, Table } from "@sealway/ports"
import type { AuditLog } from "@sealway/records"
import { type InstantiateCedar, instantiateCedar as instantiateOwnCedar } from "./cedar/cedar.ts"
import { type CedarSession, createCedarSession } from "./cedar/cedar-session.ts"
import type { DataRoles } from "./deciding/data-roles.ts"
import type { PolicyProver } from "./trials/policy-prover.ts"

/** The dependencies of this package's endpoints. */
export interface PolicyDependencies {
  readonly configTable: Table
  readonly eventsTable: Table
  readonly audit: AuditLog
  readonly draws: Draws
  readonly dataRoles: DataRoles
  /**
   * Not the session that decides on decryptions: a trial must neither evict its policies from memory nor trap its
   * instance of Cedar.
   */
  readonly cedarSession: CedarSession
  /** Epoch milliseconds. */
  readonly wallClock: () => number
  /** Null in the cloud: no function answers questions about all requests. */
  readonly prover: PolicyProver | null
}

const MAX_WEIGHT = 1_000_000

/**
 * @param prover default: none
 * @param instantiateCedar default: the Cedar that ships with this package
 */
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
  prover: PolicyProver | null = null,
  instantiateCedar: InstantiateCedar = instantiateOwnCedar,
): PolicyDependencies {
  const onFailure = (error: unknown) => log.error("policies could not be evaluated", { error })
  const cedarSession = createCedarSession(instantiateCedar, { maxWeight: MAX_WEIGHT, onFailure })
  return { configTable, eventsTable, audit, draws, dataRoles, cedarSession, wallClock, prover }
}
