import { basename, dirname, join, resolve } from "node:path"
import {
  createLog,
  type Keys,
  type Log,
  type OpenObjects,
  type QueueDefinition,
  type TableDefinition,
} from "@sealway/ports"
import { EMBEDDED_REGION, type EmbeddedCredentials, randomCredentials } from "./credentials.ts"
import { type HeldDataFolder, holdDataFolder } from "./data-folder.ts"
import { BACKUP_PREFIX, removeDeadDrafts, restorePrefix } from "./draft-folder.ts"
import { openTables } from "./dynamodb/open-tables.ts"
import type { TableDatabase } from "./dynamodb/table/table-database.ts"
import { EmbeddedCloudError, ServiceNotStartedError } from "./errors.ts"
import type { KeyStore } from "./kms/key-store.ts"
import { createLocalKeys } from "./kms/local-keys.ts"
import { openKeyStore } from "./kms/open-key-store.ts"
import type { ConfinedLevel } from "./lambda/confinement/launch-plan.ts"
import type { FunctionNetwork } from "./lambda/network/function-network.ts"
import { type RunningLambda, startLambda } from "./lambda/start-lambda.ts"
import type { RunningService } from "./loopback-server.ts"
import { type AdmittedDataFolder, admitDataFolder } from "./parts/admit-data-folder.ts"
import { createLocalQueues, type LocalQueues } from "./queues/local-queues.ts"
import { startObjects } from "./s3/start-objects.ts"
import { signatureVerifier } from "./verify-signature.ts"

export interface EmbeddedCloudOptions {
  /**
   * The folder for tables, KMS keys, objects and functions; created, mode 0700, if missing. Null keeps everything in
   * memory. Queues are always in memory.
   */
  readonly dataFolder: string | null
  readonly tables: readonly TableDefinition[]
  readonly queues: readonly QueueDefinition[]
  /** Names of buckets. Default: none. */
  readonly buckets?: readonly string[]
  /** Whether functions may run unconfined when this machine cannot confine them. Default: no. */
  readonly unconfinedFunctions?: boolean
  /** See `LambdaOptions`. Null: the default. */
  readonly functionNetwork?: FunctionNetwork | null
  /** The confinement levels to try, strongest first. Default: all. */
  readonly confinementLevels?: readonly ConfinedLevel[]
  /** Whether to empty a data folder whose parts do not belong together, and start over. Default: it is refused. */
  readonly acceptLoss?: boolean
  /** Reports disk problems. Default: one JSON line each, like all other logs. */
  readonly log?: Pick<Log, "error">
}

/** What Sealway uses of AWS, on one machine: its tables, and services that listen on 127.0.0.1 and refuse unsigned requests. */
export interface EmbeddedCloud {
  readonly region: string
  /** New ones for each start. */
  readonly credentials: EmbeddedCredentials
  /** `http://127.0.0.1:<port>` each. */
  readonly endpoints: {
    /** Where signed URLs of objects lead. */
    readonly storage: string
    readonly lambda: string
    /** CloudWatch Logs of functions. */
    readonly logs: string
  }
  /** The tables. */
  readonly database: TableDatabase
  readonly keys: Keys
  /** What an administrator creates among the keys. */
  readonly keyStore: Pick<KeyStore, "find" | "ensureKey">
  readonly queues: LocalQueues
  readonly openObjects: OpenObjects
  /** How functions are confined, what they may connect to, and the languages whose functions run. */
  readonly functions: RunningLambda["functions"]
  /** Where the rest of a data folder was moved when it was started over; usually null. */
  readonly lostTo: string | null
  /**
   * Resolves once every service has stopped and the data folder is released. Safe to call twice.
   *
   * @param isRefused whether the service on top of it refuses to start, see `recordStop`. Default: false
   */
  close(isRefused?: boolean): Promise<void>
}

/**
 * Starts the embedded cloud. Resolves when every table and queue can be used; existing tables keep their items.
 *
 * @throws DataFolderInUseError while another process holds the data folder.
 * @throws PartsMismatchError when its parts do not belong together, unless `acceptLoss` is given.
 * @throws DataFolderUnusableError, TablesDamagedError, MasterKeyError, KeyFileError when the folder or its files cannot
 * be used.
 * @throws ServiceNotStartedError for anything else. Everything already started is stopped.
 */
export async function startEmbeddedCloud(options: EmbeddedCloudOptions): Promise<EmbeddedCloud> {
  const { dataFolder, tables, queues, buckets = [] } = options
  const { unconfinedFunctions, functionNetwork, confinementLevels } = options
  const { log = createLog({ logLevel: "ERROR" }, Date.now) } = options
  const credentials = randomCredentials()
  const held = dataFolder === null ? null : await holdDataFolder(dataFolder)
  const admitted = held === null ? null : await admitHeld(held, options.acceptLoss ?? false)
  const folder = (name: string) => (held === null ? null : join(held.path, name))
  const running: Pick<RunningService, "close">[] = []
  const localQueues = createLocalQueues(queues, Date.now)

  const startTables = async () => {
    const database = await openTables(folder("dynamodb"), tables, (message, error) =>
      log.error(message, { error }),
    )
    running.push(database)
    return database
  }
  const startBuckets = async () => {
    const objects = await startObjects(folder("s3"), buckets, credentials)
    running.push(objects)
    return objects
  }
  const startFunctions = async () => {
    const lambda = await startLambda({
      folder: folder("lambda"),
      verify: signatureVerifier(credentials, ["lambda", "logs"]),
      ...(unconfinedFunctions !== undefined && { unconfinedFunctions }),
      ...(functionNetwork && { functionNetwork }),
      ...(confinementLevels && { confinementLevels }),
    })
    running.push(lambda)
    return lambda
  }
  const stop = async (isRefused: boolean) => {
    const stopping = running.map((service) => service.close())
    localQueues.close()
    await Promise.allSettled(stopping)
    try {
      await Promise.all(stopping)
      // Everything is closed by then: if this cannot be written, only the note is lost.
      await admitted
        ?.recordStop(isRefused)
        .catch((error) => log.error("The stop was not recorded.", { error }))
    } finally {
      held?.release()
    }
  }

  const starting = [
    named("tables", startTables()),
    named("keys", openKeyStore(folder("kms"))),
    named("S3", startBuckets()),
    named("Lambda", startFunctions()),
  ] as const
  // All of them, even after a failure: nothing may start once the rest has been stopped.
  await Promise.allSettled(starting)
  try {
    const [database, keyStore, objects, lambda] = await Promise.all(starting)
    let stopped: Promise<void> | undefined
    return {
      region: EMBEDDED_REGION,
      credentials,
      endpoints: { storage: objects.endpoint, lambda: lambda.endpoint, logs: lambda.endpoint },
      database,
      keys: createLocalKeys(keyStore),
      keyStore,
      queues: localQueues,
      openObjects: objects.openObjects,
      functions: lambda.functions,
      lostTo: admitted?.lostTo ?? null,
      close: (isRefused = false) => {
        stopped ??= stop(isRefused)
        return stopped
      },
    }
  } catch (error) {
    await stop(true)
    throw error
  }
}

async function admitHeld(held: HeldDataFolder, acceptLoss: boolean): Promise<AdmittedDataFolder> {
  try {
    const path = resolve(held.path)
    await removeDeadDrafts(path, BACKUP_PREFIX)
    await removeDeadDrafts(dirname(path), restorePrefix(basename(path)))
    return await admitDataFolder(held.path, { acceptLoss, now: () => new Date() })
  } catch (error) {
    held.release()
    throw error
  }
}

async function named<Result>(service: string, starting: Promise<Result>): Promise<Result> {
  try {
    return await starting
  } catch (error) {
    if (error instanceof EmbeddedCloudError) throw error
    throw new ServiceNotStartedError(service, { cause: error })
  }
}
