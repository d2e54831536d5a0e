import type { Directory } from "@sealway/accounts"
import type { Clocks } from "@sealway/kernel"
import type { Keyring } from "@sealway/keys"
import type { DataRoles } from "@sealway/policies"
import type { Draws, FunctionHost, Log, Objects, QueueSender, Table } from "@sealway/ports"
import type { AccessLog, AuditLog, Events, Stats } from "@sealway/records"
import { createRunSlots, type RunLimits, type RunSlots } from "./records/run-slots.ts"
import { createServingFunctions, type ServingFunctions } from "./records/serving-functions.ts"

/** What this package needs from a process. */
export interface FunctionPlatform extends Clocks {
  readonly configTable: Table
  /** The table of `RUNS_TABLE`. */
  readonly runsTable: Table
  readonly queues: QueueSender
  readonly directory: Pick<Directory, "app">
  readonly keyring: Keyring
  readonly events: Pick<Events, "publish">
  readonly audit: AuditLog
  readonly draws: Draws
  readonly accessLog: Pick<AccessLog, "record">
  readonly log: Pick<Log, "warn">
  readonly stats: Pick<Stats, "count" | "settle">
  readonly runLimits: RunLimits
  /** Whether callbacks may go to private and loopback addresses. */
  readonly allowPrivateDestinations: boolean
  /** Resolves after some milliseconds. Default: a timer. */
  readonly sleep?: (durationMs: number) => Promise<unknown>
}

export interface FunctionServices {
  readonly dataRoles: Pick<DataRoles, "decide">
  readonly host: FunctionHost
  /** The zips of customers' source, for as long as they are deployed. */
  readonly code: Pick<Objects, "put" | "get" | "remove">
}

/** The dependencies of this package's endpoints and worker. */
export interface FunctionDependencies extends FunctionPlatform, FunctionServices {
  readonly functions: ServingFunctions
  readonly runSlots: RunSlots
}

export function createFunctionDependencies(
  platform: FunctionPlatform,
  services: FunctionServices,
): FunctionDependencies {
  return {
    ...platform,
    ...services,
    functions: createServingFunctions(platform),
    runSlots: createRunSlots(platform),
  }
}
