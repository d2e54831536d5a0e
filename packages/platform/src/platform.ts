import type { Clocks } from "@sealway/kernel"
import { createAccessLines } from "./access-log/access-lines.ts"
import type { AccessLog } from "./access-log/access-log.ts"
import { createAccessRecorder } from "./access-log/access-recorder.ts"
import { type ApiKeyUses, createApiKeyUses } from "./accounts/api-key-use-table.ts"
import { createDirectory } from "./accounts/directory.ts"
import { type AuditLog, createAuditLog } from "./audit/audit-log.ts"
import type { HandlerPlatform } from "./endpoint/handler.ts"
import { createEvents, type Events } from "./events/events.ts"
import { createHsmKeys, type HsmKeys } from "./keys/hsm-keys.ts"
import { createKeyring } from "./keys/keyring.ts"
import { createKmsAgreement } from "./keys/kms-agreement.ts"
import { createKmsEnvelope, type KmsEnvelope } from "./keys/kms-envelope.ts"
import { createLimiter } from "./limits/limiter.ts"
import { type Draws, RANDOM_DRAWS } from "./once/draws.ts"
import { createIdempotency } from "./once/idempotency.ts"
import type { AwsClients, Connect, Logs } from "./stage/aws-clients.ts"
import type {
  Configuration,
  FileConfiguration,
  FunctionConfiguration,
  RelayConfiguration,
  SignInConfiguration,
} from "./stage/configuration.ts"
import { createLog } from "./stage/logger.ts"
import { createQueueSender, type QueueSender } from "./stage/queue-sender.ts"
import { createCloudMetrics } from "./stats/cloud-metrics.ts"
import { countDecryptions } from "./stats/count-decryptions.ts"
import { createStats, type Stats } from "./stats/stats.ts"
import type { Table } from "./tables/table.ts"

export interface Platform extends HandlerPlatform, Clocks {
  readonly configTable: Table
  readonly eventsTable: Table
  readonly apiKeyUses: ApiKeyUses
  readonly audit: AuditLog
  readonly accessLog: AccessLog
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
  readonly connect: Connect
  /** CloudWatch Logs. */
  readonly logs: Logs
  /** See `Configuration`. */
  readonly enclaveRoot: string | null
  readonly allowPrivateDestinations: boolean
}

/** Creates the platform. Call it once, where a process starts: what it returns holds all caches. */
export function createPlatform(configuration: Configuration, clients: AwsClients): Platform {
  const clocks = { now: () => performance.now(), wallClock: () => Date.now() }
  const configTable = clients.openTable(configuration.configTable, clocks.wallClock)
  const eventsTable = clients.openTable(configuration.eventsTable, clocks.wallClock)
  const queues = createQueueSender(clients.sqs, configuration.queueUrls)
  const events = createEvents({ configTable, eventsTable, queues, ...clocks })
  const log = createLog(configuration, clocks.wallClock)
  const envelope = createKmsEnvelope(clients.kms, configuration.kmsKeyId)
  const tableOf = (name: string | null) => (name === null ? null : clients.openTable(name, clocks.wallClock))
  const runsTable = tableOf(configuration.runsTable)
  const paymentsTable = tableOf(configuration.paymentsTable)
  const audit = createAuditLog({ table: eventsTable, events, wallClock: clocks.wallClock })
  const agreement = createKmsAgreement(clients.kms)
  const { keyTags, isFrozenBetweenRequests } = configuration
  const { metricsStage } = configuration
  const tell = metricsStage === null ? null : createCloudMetrics(metricsStage)
  const stats = createStats({ table: eventsTable, log, isFrozenBetweenRequests, tell, ...clocks })
  const keyring = createKeyring({ table: configTable, eventsTable, envelope, agreement, keyTags, ...clocks })
  const effects = { configTable, eventsTable, runsTable, paymentsTable, audit, queues, keyring, events }
  return {
    ...clocks,
    ...effects,
    draws: RANDOM_DRAWS,
    functions: configuration.functions,
    relay: configuration.relay,
    files: configuration.files,
    signIn: configuration.signIn,
    envelope,
    hsmKeys: createHsmKeys(clients.kms, keyTags),
    connect: clients.connect,
    logs: clients.logs,
    allowPrivateDestinations: configuration.allowPrivateDestinations,
    enclaveRoot: configuration.enclaveRoot,
    hosting: configuration.hosting,
    apiOrigin: configuration.apiOrigin,
    dashboardApiUrl: configuration.dashboardApiUrl,
    dashboardOriginSecret: configuration.dashboardOriginSecret,
    log,
    stats,
    accessLog: countDecryptions(
      configuration.accessLog === "table"
        ? createAccessRecorder({ table: eventsTable, log })
        : createAccessLines((line) => process.stdout.write(line)),
      stats,
    ),
    apiKeyUses: createApiKeyUses(eventsTable, clocks.wallClock),
    idempotency: createIdempotency(eventsTable, clocks.wallClock, effects),
    directory: createDirectory(configTable, clocks.now),
    limiter: createLimiter({ table: eventsTable, log, isFrozenBetweenRequests, ...clocks }),
  }
}
