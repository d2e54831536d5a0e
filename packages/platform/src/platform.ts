import type { AwsClients } from "./aws-clients.ts"
import { type ConfigTable, createConfigTable } from "./config-table.ts"
import type { Configuration } from "./configuration.ts"
import { createDirectory } from "./directory.ts"
import type { HandlerPlatform } from "./handler.ts"
import { createKeyring, type Keyring } from "./keyring.ts"
import { createKmsEnvelope } from "./kms-envelope.ts"
import { createLog } from "./logger.ts"

export interface Platform extends HandlerPlatform {
  readonly table: ConfigTable
  readonly keyring: Keyring
  /** Milliseconds, monotonic. */
  readonly now: () => number
  /** Epoch milliseconds. */
  readonly wallClock: () => number
}

/** Wires the platform, once, where a process starts; everything that is warm lives in what this returns. */
export function createPlatform(configuration: Configuration, clients: AwsClients): Platform {
  const clocks = { now: () => performance.now(), wallClock: () => Date.now() }
  const table = createConfigTable(clients.dynamodb, configuration.configTable)
  const envelope = createKmsEnvelope(clients.kms, configuration.kmsKeyId)
  return {
    ...clocks,
    table,
    hosting: configuration.hosting,
    log: createLog(configuration),
    directory: createDirectory(table, clocks.now),
    keyring: createKeyring({ table, envelope, ...clocks }),
  }
}
