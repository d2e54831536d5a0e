import { basename, dirname, join, resolve } from "node:path"
import {
  createLog,
  type FunctionHost,
  type Keys,
  type Log,
  type OpenObjects,
  type QueueDefinition,
  type TableDefinition,
} from "@sealway/ports"
import { type HeldDataFolder, holdDataFolder } from "./data-folder.ts"
import { BACKUP_PREFIX, removeDeadDrafts, restorePrefix } from "./draft-folder.ts"
import { openTables } from "./dynamodb/open-tables.ts"
import type { TableDatabase } from "./dynamodb/table/table-database.ts"
import { EmbeddedCloudError, ServiceNotStartedError } from "./errors.ts"
import {
  type FunctionHostOptions,
  type FunctionIsolation,
  startFunctionHost,
} from "./functions/start-function-host.ts"
import type { KeyStore } from "./kms/key-store.ts"
import { createLocalKeys } from "./kms/local-keys.ts"
import { openKeyStore } from "./kms/open-key-store.ts"
import { type AdmittedDataFolder, admitDataFolder } from "./parts/admit-data-folder.ts"
import { createLocalQueues, type LocalQueues } from "./queues/local-queues.ts"
import { startObjects } from "./s3/start-objects.ts"

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
  readonly unconfinedFunctions?: FunctionHostOptions["unconfinedFunctions"]
  /** See `FunctionHostOptions`. Null: the default. */
  readonly functionNetwork?: FunctionHostOptions["functionNetwork"] | null
  readonly confinementLevels?: FunctionHostOptions["confinementLevels"]
  /** See `AdmitOptions`. Default: such a data folder is refused. */
  readonly acceptLoss?: boolean
  /** Reports disk problems. Default: one JSON line each, like all other logs. */
  readonly log?: Pick<Log, "error">
}

/** The ports of the service on one machine. */
export interface EmbeddedCloud {
  /** The tables. */
  readonly database: TableDatabase
  readonly keys: Keys
  /** What an administrator creates among the keys. */
  readonly keyStore: Pick<KeyStore, "find" | "ensureKey">
  readonly queues: LocalQueues
  readonly openObjects: OpenObjects
  /** Where signed URLs of objects lead, which is refused to anybody else: `http://127.0.0.1:<port>` */
  readonly storageEndpoint: string
  readonly functionHost: FunctionHost
  /** How functions are confined, what they may connect to, and the languages whose functions run. */
  readonly functions: FunctionIsolation
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
 * @throws TablesIncompleteError when writes that were answered are missing, unless `acceptLoss` is given.
 * @throws PartsMismatchError when its parts do not belong together, unless `acceptLoss` is given.
 * @throws DataFolderUnusableError, TablesDamagedError, MasterKeyError, KeyFileError when the folder or its files cannot
 * be used.
 * @throws ServiceNotStartedError for anything else. Everything already started is stopped.
 */
export async function startEmbeddedCloud(options: EmbeddedCloudOptions): Promise<EmbeddedCloud> {
  const { dataFolder, tables, queues, buckets = [] } = options
  const { unconfinedFunctions, functionNetwork, confinementLevels } = options
  const { log = createLog({ logLevel: "ERROR" }, Date.now) } = options
  const held = dataFolder === null ? null : await holdDataFolder(dataFolder)
  const admitted = held === null ? null : await admitHeld(held, options.acceptLoss ?? false)
  if (admitted?.lostCommits) {
    const { held, answered } = admitted.lostCommits
    log.error(
      `The latest changes may be missing from the tables, and this loss was accepted: ${answered ?? "an unknown number of"} commits were answered, the tables have ${held}.`,
    )
  }
  const folder = (name: string) => (held === null ? null : join(held.path, name))
  const running: { close(): Promise<void> }[] = []
  const localQueues = createLocalQueues(queues, Date.now)

  const startTables = async () => {
    const database = await openTables(folder("dynamodb"), tables, (message, error) =>
      log.error(message, { error }),
    )
    running.push(database)
    return database
  }
  const startBuckets = async () => {
    const objects = await startObjects(folder("s3"), buckets)
    running.push(objects)
    return objects
  }
  const startFunctions = async () => {
    const functions = await startFunctionHost({
      folder: folder("lambda"),
      ...(unconfinedFunctions !== undefined && { unconfinedFunctions }),
      ...(functionNetwork && { functionNetwork }),
      ...(confinementLevels && { confinementLevels }),
    })
    running.push(functions.host)
    return functions
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
    named("objects", startBuckets()),
    named("functions", startFunctions()),
  ] as const
  // All of them, even after a failure: nothing may start once the rest has been stopped.
  await Promise.allSettled(starting)
  try {
    const [database, keyStore, objects, functions] = await Promise.all(starting)
    let stopped: Promise<void> | undefined
    return {
      database,
      keys: createLocalKeys(keyStore),
      keyStore,
      queues: localQueues,
      openObjects: objects.openObjects,
      storageEndpoint: objects.endpoint,
      functionHost: functions.host,
      functions: functions.isolation,
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
