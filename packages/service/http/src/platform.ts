import { type ApiKeyUses, createApiKeyUses, createDirectory, createLimiter } from "@sealway/accounts"
import type { Clocks } from "@sealway/kernel"
import {
  createHsmKeys,
  createKeyring,
  createKmsAgreement,
  createKmsEnvelope,
  type HsmKeys,
  type KmsEnvelope,
} from "@sealway/keys"
import {
  type AwsClients,
  type Configuration,
  type Connect,
  createLog,
  type Draws,
  type FileConfiguration,
  type FunctionConfiguration,
  invokerOnUse,
  type Keys,
  type Objects,
  type QueueSender,
  RANDOM_DRAWS,
  type RelayConfiguration,
  type SignInConfiguration,
  type Table,
} from "@sealway/ports"
import {
  type AccessLog,
  type AuditHistory,
  type AuditLog,
  type AuditTable,
  countDecryptions,
  createAccessLines,
  createAccessRecorder,
  createAuditLog,
  createAuditTable,
  createCloudMetrics,
  createEvents,
  createStats,
  type Events,
  type Stats,
  writtenByFunction,
} from "@sealway/records"
import type { HandlerPlatform } from "./endpoint/handler.ts"
import { createIdempotency } from "./once/idempotency.ts"

export interface Platform extends HandlerPlatform, Clocks {
  readonly configTable: Table
  readonly keysTable: Table
  /** Only `audit`, or the function that it calls, may write to it. */
  readonly auditTable: Table
  readonly eventsTable: Table
  readonly apiKeyUses: ApiKeyUses
  readonly audit: AuditLog
  readonly auditHistory: AuditHistory
  readonly accessLog: AccessLog
  /** See `Configuration`. */
  readonly accessLogDays: Configuration["accessLogDays"]
  readonly events: Events
  readonly stats: Stats
  readonly queues: QueueSender
  readonly draws: Draws
  /** Null in processes that do not use it. */
  readonly runsTable: Table | null
  /** Null in processes that do not use it. */
  readonly paymentsTable: Table | null
  readonly functions: FunctionConfiguration | null
  readonly relay: RelayConfiguration | null
  readonly files: FileConfiguration | null
  readonly signIn: SignInConfiguration
  /** For secrets that belong to no app; those of apps are protected by the keyring. */
  readonly envelope: KmsEnvelope
  /** The private keys of apps in KMS. */
  readonly hsmKeys: HsmKeys
  readonly openObjects: (bucket: string) => Objects
  readonly openFunctionHost: AwsClients["openFunctionHost"]
  readonly connect: Connect
  /** See `Configuration`. */
  readonly enclaveRoot: string | null
  readonly allowPrivateDestinations: boolean
}

/** What a process reaches outside itself. */
export interface Ports extends Clocks {
  /** @param name the name of the table in this deployment */
  readonly tableOf: (name: string) => Table
  /** Has a function write to the table of the audit log. Null: this process may write to it. */
  readonly writtenAudit: ((table: Table) => AuditTable) | null
  readonly queues: QueueSender
  readonly keys: Keys
  readonly openObjects: (bucket: string) => Objects
  readonly openFunctionHost: AwsClients["openFunctionHost"]
  readonly connect: Connect
}

/** Creates the platform of a process in AWS. Call it once, where a process starts: what it returns holds all caches. */
export function createPlatform(configuration: Configuration, clients: AwsClients): Platform {
  const clocks = { now: () => performance.now(), wallClock: () => Date.now() }
  const { auditWriter } = configuration
  return createPlatformOver(configuration, {
    ...clocks,
    tableOf: (name) => clients.openTable(name, clocks.wallClock),
    writtenAudit:
      auditWriter === null
        ? null
        : (table) => writtenByFunction(table, invokerOnUse(clients.connect), auditWriter),
    queues: clients.openQueues(configuration.queueUrls),
    keys: clients.keys,
    openObjects: (bucket) => clients.openObjects(bucket, clocks.wallClock),
    openFunctionHost: clients.openFunctionHost,
    connect: clients.connect,
  })
}

/** Creates the platform of a process that reaches the outside only through these ports. */
export function createPlatformOver(configuration: Configuration, ports: Ports): Platform {
  const { now, wallClock, tableOf, queues, keys, openObjects, openFunctionHost, connect } = ports
  const clocks = { now, wallClock }
  const configTable = tableOf(configuration.configTable)
  const keysTable = tableOf(configuration.keysTable)
  const eventsTable = tableOf(configuration.eventsTable)
  const events = createEvents({ configTable, eventsTable, queues, ...clocks })
  const log = createLog(configuration, wallClock)
  const runsTable = configuration.runsTable === null ? null : tableOf(configuration.runsTable)
  const paymentsTable = configuration.paymentsTable === null ? null : tableOf(configuration.paymentsTable)
  const auditTable = tableOf(configuration.auditTable)
  const writtenAudit = ports.writtenAudit?.(auditTable) ?? createAuditTable(auditTable)
  const audit = createAuditLog({ table: writtenAudit, events, wallClock })
  const { keyTags, isFrozenBetweenRequests } = configuration
  const { metricsStage } = configuration
  const tell = metricsStage === null ? null : createCloudMetrics(metricsStage)
  const stats = createStats({ table: eventsTable, log, isFrozenBetweenRequests, tell, ...clocks })
  const envelope = createKmsEnvelope(keys, configuration.kmsKeyId)
  const keyring = createKeyring({
    configTable,
    keysTable,
    eventsTable,
    envelope,
    keyTags,
    agreement: createKmsAgreement(keys),
    ...clocks,
  })
  const effects = {
    configTable,
    keysTable,
    eventsTable,
    runsTable,
    paymentsTable,
    audit,
    auditHistory: audit,
    queues,
    keyring,
    events,
  }
  return {
    ...clocks,
    ...effects,
    auditTable,
    draws: RANDOM_DRAWS,
    functions: configuration.functions,
    relay: configuration.relay,
    files: configuration.files,
    signIn: configuration.signIn,
    envelope,
    hsmKeys: createHsmKeys(keys, keyTags),
    openObjects,
    openFunctionHost,
    connect,
    allowPrivateDestinations: configuration.allowPrivateDestinations,
    enclaveRoot: configuration.enclaveRoot,
    hosting: configuration.hosting,
    apiOrigin: configuration.apiOrigin,
    dashboardApiUrl: configuration.dashboardApiUrl,
    dashboardOriginHash: configuration.dashboardOriginHash,
    log,
    stats,
    accessLogDays: configuration.accessLogDays,
    accessLog: countDecryptions(
      configuration.accessLog === "table"
        ? createAccessRecorder({ table: eventsTable, log, keptDays: configuration.accessLogDays })
        : createAccessLines((line) => process.stdout.write(line)),
      stats,
    ),
    apiKeyUses: createApiKeyUses(eventsTable, wallClock),
    idempotency: createIdempotency(eventsTable, wallClock, effects, configuration.lockHolder),
    directory: createDirectory({ configTable, keysTable }, now),
    limiter: createLimiter({ table: eventsTable, log, isFrozenBetweenRequests, ...clocks }),
  }
}
