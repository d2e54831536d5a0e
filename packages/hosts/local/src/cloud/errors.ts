import { VERSION } from "../version.ts"

/** The kind of failure, for programs. */
export type EmbeddedCloudErrorCode =
  | "data-folder-in-use"
  | "data-folder-unusable"
  | "data-folder-parts-mismatch"
  | "data-folder-of-later-version"
  | "tables-damaged"
  | "tables-incomplete"
  | "master-key-unusable"
  | "key-file-unusable"
  | "credentials-unusable"
  | "backup-unusable"
  | "function-network-unavailable"
  | "service-not-started"

/** The embedded cloud could not start. The message is for people; it names files, never their content. */
export abstract class EmbeddedCloudError extends Error {
  abstract readonly code: EmbeddedCloudErrorCode
}

/** Another running process holds the data folder. A process that has died holds nothing. */
export class DataFolderInUseError extends EmbeddedCloudError {
  override readonly name = "DataFolderInUseError"
  readonly code = "data-folder-in-use"

  constructor(folder: string, options?: ErrorOptions) {
    super(
      `The data folder ${folder} is in use by another running process. Stop it, or choose another folder.`,
      options,
    )
  }
}

/** The parts of a data folder are incomplete, or do not belong together. Nothing was changed. */
export class PartsMismatchError extends EmbeddedCloudError {
  override readonly name = "PartsMismatchError"
  readonly code = "data-folder-parts-mismatch"
}

/** A later version of Sealway has used the data folder. Nothing was changed. */
export class LaterVersionError extends EmbeddedCloudError {
  override readonly name = "LaterVersionError"
  readonly code = "data-folder-of-later-version"

  /**
   * @param file the file that shows this
   * @param writer the version that used it; null when unknown
   */
  constructor(file: string, writer: string | null, options?: ErrorOptions) {
    const later = writer === null ? "a later version of Sealway" : `Sealway ${writer}`
    super(
      `The data folder was used by ${later}, according to ${file}. This is Sealway ${VERSION}, which cannot open folders of later versions. Nothing was changed. ` +
        "Start that version or a later one. To go back, restore a backup from before the upgrade.",
      options,
    )
  }
}

/** The tables' database differs from what was written. Nothing was changed. */
export class TablesDamagedError extends EmbeddedCloudError {
  override readonly name = "TablesDamagedError"
  readonly code = "tables-damaged"

  constructor(folder: string, options?: ErrorOptions) {
    super(
      `The tables in ${folder} are damaged: the disk returned different data than was written. Nothing was changed. Restore the data folder from a backup.`,
      options,
    )
  }
}

/** Writes that were answered are missing from the tables. Nothing was changed. */
export class TablesIncompleteError extends EmbeddedCloudError {
  override readonly name = "TablesIncompleteError"
  readonly code = "tables-incomplete"

  /** How many commits are there, and how many were answered; null when that is not known. */
  constructor(
    folder: string,
    { held, answered }: { readonly held: number; readonly answered: number | null },
    options?: ErrorOptions,
  ) {
    const found =
      answered === null
        ? `The file tables.db-commits in ${folder} is missing or damaged, so it is not known whether the tables are complete.`
        : `The tables in ${folder} are incomplete: ${answered} commits were answered, and ${Math.min(held, answered)} are certain to be there. Their log, tables.db-wal, is missing, cut or older.`
    super(
      [
        `${found} Nothing was changed.`,
        `If you have the missing file, put it back. Otherwise restore the data folder from a backup.`,
        "To go on with what is there, use --accept-loss. This permanently loses the latest changes, such as keys, roles and log entries.",
      ].join("\n"),
      options,
    )
  }
}

/** The data folder cannot be created, read or written; `cause` says why. */
export class DataFolderUnusableError extends EmbeddedCloudError {
  override readonly name = "DataFolderUnusableError"
  readonly code = "data-folder-unusable"

  constructor(folder: string, options?: ErrorOptions) {
    super(
      `The data folder ${folder} cannot be used: check its owner, its permissions and the free space.`,
      options,
    )
  }
}

/** What every message about a damaged file of keys says of the rest. */
export const OTHERS_STAY = "The other files of the data folder can stay as they are."

/** The master key file is missing though keys exist, has the wrong length, or is open to other users. */
export class MasterKeyError extends EmbeddedCloudError {
  override readonly name = "MasterKeyError"
  readonly code = "master-key-unusable"
}

/** The file of KMS keys is damaged, or was written with another master key. */
export class KeyFileError extends EmbeddedCloudError {
  override readonly name = "KeyFileError"
  readonly code = "key-file-unusable"
}

/** The file of the first keys is damaged. Nothing was changed. */
export class CredentialsError extends EmbeddedCloudError {
  override readonly name = "CredentialsError"
  readonly code = "credentials-unusable"
}

/** A backup cannot be written, opened, or restored there. */
export class BackupError extends EmbeddedCloudError {
  override readonly name = "BackupError"
  readonly code = "backup-unusable"
}

/** The machine cannot restrict functions to the network that the operator chose. */
export class FunctionNetworkError extends EmbeddedCloudError {
  override readonly name = "FunctionNetworkError"
  readonly code = "function-network-unavailable"

  /** @param level how functions are confined */
  constructor(network: string, level: string, options?: ErrorOptions) {
    super(
      `This machine cannot restrict functions to the network "${network}" (confinement: ${level}). Public and private need confinement by namespaces; none needs any. ` +
        'Choose "host", or start without --function-network, and functions can reach everything that this machine reaches.',
      options,
    )
  }
}

/** One of the services did not start; `cause` says why. */
export class ServiceNotStartedError extends EmbeddedCloudError {
  override readonly name = "ServiceNotStartedError"
  readonly code = "service-not-started"

  constructor(service: string, options?: ErrorOptions) {
    super(`The embedded ${service} could not start.`, options)
  }
}
