import { constants, type FileHandle, lstat, open, rename, rm } from "node:fs/promises"
import { basename, dirname, extname, join } from "node:path"
import { errorCodeOf } from "@sealway/kernel"
import { draftOf, syncFolder, writeFileDurably } from "@sealway/local/write-file-durably"
import { openOwn } from "../files/open-own.ts"
import { reasonOf } from "../files/read-input.ts"
import { UsageFailure } from "../terminal/failures.ts"
import { type ByteString, bytesOf } from "./byte-string.ts"
import { type Journal, MAX_JOURNAL_BYTES, parseJournal, startOfTable, writeJournal } from "./journal.ts"
import type { TableSink } from "./table-sink.ts"

const OWNER_ONLY = 0o600

export interface FileSinkOptions {
  /** As the user named it, for messages. */
  readonly name: string
  readonly path: string
  /** A digest of the command and its options. */
  readonly command: string
  /** The number of columns or selectors. */
  readonly names: number
  /** Discards what an earlier run left. */
  readonly restarts: boolean
  /** Only files of this user are resumed; null when files have no owners. */
  readonly userId: number | null
}

/** Returns where the failures of an output are written: `out.failed.csv` for `out.csv`. */
export function failuresPathOf(path: string): string {
  const extension = extname(path)
  return join(dirname(path), `${basename(path, extension)}.failed${extension}`)
}

/** Lists everything that a run writes or removes for an output. */
export function filesOf(path: string): readonly string[] {
  return [path, `${path}.part`, `${path}.journal`, draftOf(`${path}.journal`), failuresPathOf(path)]
}

/**
 * Writes a table to `<file>.part`, which is renamed when it is complete, and failures beside it. `<file>.journal` says
 * how much of both is valid: on resuming they are truncated there.
 *
 * @throws UsageFailure when files cannot be used, or belong to another command
 */
export async function openFileSink(options: FileSinkOptions): Promise<TableSink> {
  return attempt(options.name, async () => {
    const journal = options.restarts ? null : await findJournal(options)
    return journal === null ? beginFiles(options) : resumeFiles(options, journal)
  })
}

async function findJournal(options: FileSinkOptions): Promise<Journal | null> {
  const { name, path, command, names } = options
  const text = await readJournal(options)
  if (text === null) return null
  const journal = parseJournal(text)
  if (journal === null) {
    throw new UsageFailure(`${name}.journal was not written by this version. Pass --restart to start over.`)
  }
  if (isRunning(journal.pid)) {
    throw new UsageFailure(`Process ${journal.pid} is writing ${name}. Wait for it, or stop it.`)
  }
  if (journal.progress.rows === 0) return null
  if (journal.command !== command || journal.progress.found.length !== names) {
    throw new UsageFailure(
      `${name} was started by another command or with other options. Run that command again to resume, or pass --restart.`,
    )
  }
  // It was renamed right before the end.
  const isThere = await lstat(`${path}.part`).catch(() => null)
  return isThere === null ? null : journal
}

async function beginFiles(options: FileSinkOptions): Promise<TableSink> {
  const { path, names } = options
  await rm(`${path}.part`, { force: true })
  // Never follows a link that somebody left there.
  const rows = await open(`${path}.part`, "wx", OWNER_ONLY)
  return new FileSink(options, rows, null, { progress: startOfTable(names), input: null })
}

async function resumeFiles(options: FileSinkOptions, { progress, input }: Journal): Promise<TableSink> {
  const rows = await openAndCut(`${options.path}.part`, progress.outputBytes, options)
  const failuresPath = failuresPathOf(options.path)
  try {
    let failures: FileHandle | null = null
    if (progress.failureBytes === 0) await rm(failuresPath, { force: true })
    else failures = await openAndCut(failuresPath, progress.failureBytes, options)
    return new FileSink(options, rows, failures, { progress, input })
  } catch (error) {
    await rows.close()
    throw error
  }
}

/** Opens what an earlier run wrote, and truncates what its journal does not cover. */
async function openAndCut(path: string, sizeBytes: number, options: FileSinkOptions): Promise<FileHandle> {
  const file = await openOwn(path, constants.O_RDWR, options.userId)
  try {
    if ((await file.stat()).size < sizeBytes) {
      throw new UsageFailure(
        `${basename(path)} is shorter than its journal says. Pass --restart to start over.`,
      )
    }
    await file.truncate(sizeBytes)
    return file
  } catch (error) {
    await file.close()
    throw error
  }
}

class FileSink implements TableSink {
  readonly start: Journal["progress"]
  readonly expectedInput: string | null
  readonly #options: FileSinkOptions
  readonly #rows: FileHandle
  #failures: FileHandle | null
  #rowsEnd: number
  #failuresEnd: number

  constructor(
    options: FileSinkOptions,
    rows: FileHandle,
    failures: FileHandle | null,
    begun: { readonly progress: Journal["progress"]; readonly input: string | null },
  ) {
    this.#options = options
    this.#rows = rows
    this.#failures = failures
    this.start = begun.progress
    this.expectedInput = begun.input
    this.#rowsEnd = begun.progress.outputBytes
    this.#failuresEnd = begun.progress.failureBytes
  }

  write(rows: Buffer, failures: ByteString): Promise<void> {
    return attempt(this.#options.name, async () => {
      if (failures !== "") {
        this.#failures ??= await this.#createFailures()
        this.#failuresEnd = await writeAll(this.#failures, bytesOf(failures), this.#failuresEnd)
      }
      this.#rowsEnd = await writeAll(this.#rows, rows, this.#rowsEnd)
    })
  }

  /** Writes the journal last, so that everything it says is on disk. */
  checkpoint(progress: Journal["progress"], input: string): Promise<void> {
    const { name, path, command } = this.#options
    return attempt(name, async () => {
      await this.#failures?.datasync()
      await this.#rows.datasync()
      await this.#refuseOtherWriter()
      const journal = writeJournal({ pid: process.pid, command, input, progress })
      await writeFileDurably(`${path}.journal`, Buffer.from(journal))
    })
  }

  finish(): Promise<void> {
    const { name, path } = this.#options
    return attempt(name, async () => {
      await this.#failures?.sync()
      await this.#rows.sync()
      await this.#refuseOtherWriter()
      // Windows cannot rename an open file.
      await this.#rows.close()
      // The failures of an earlier output with this name.
      if (this.#failures === null) await rm(failuresPathOf(path), { force: true })
      await rename(`${path}.part`, path)
      await syncFolder(dirname(path))
      await rm(`${path}.journal`, { force: true })
    })
  }

  async close(isBegun: boolean): Promise<void> {
    const isLeft = isBegun || !(await this.#isNamed().catch(() => false))
    await this.#rows.close()
    await this.#failures?.close()
    if (isLeft) return
    for (const end of [".part", ".journal"]) await rm(`${this.#options.path}${end}`, { force: true })
    if (this.#failures !== null) await rm(failuresPathOf(this.#options.path), { force: true })
  }

  /** Two runs that start at the same moment do not see each other's journal, and `--restart` does not look for one. */
  async #refuseOtherWriter(): Promise<void> {
    if (await this.#isNamed()) return
    throw new UsageFailure(`Another process has started to write ${this.#options.name}. This one stopped.`)
  }

  /** Whether `<file>.part` is still the file that this run writes. */
  async #isNamed(): Promise<boolean> {
    const [own, named] = await Promise.all([
      this.#rows.stat(),
      lstat(`${this.#options.path}.part`).catch(() => null),
    ])
    return named !== null && named.ino === own.ino && named.dev === own.dev
  }

  async #createFailures(): Promise<FileHandle> {
    await this.#refuseOtherWriter()
    const path = failuresPathOf(this.#options.path)
    await rm(path, { force: true })
    return open(path, "wx", OWNER_ONLY)
  }
}

async function writeAll(file: FileHandle, bytes: Buffer, position: number): Promise<number> {
  let written = 0
  while (written < bytes.length) {
    const result = await file.write(bytes, written, bytes.length - written, position + written)
    written += result.bytesWritten
  }
  return position + written
}

/** Returns null when there is none. */
async function readJournal(options: FileSinkOptions): Promise<string | null> {
  let file: FileHandle
  try {
    file = await openOwn(`${options.path}.journal`, constants.O_RDONLY, options.userId)
  } catch (error) {
    if (errorCodeOf(error) === "ENOENT") return null
    throw error
  }
  try {
    return (await file.stat()).size > MAX_JOURNAL_BYTES ? "" : await file.readFile("utf8")
  } finally {
    await file.close()
  }
}

/**
 * Whether the process named in a journal is a different, running one. A process that may not be signalled counts as
 * running.
 */
function isRunning(pid: number): boolean {
  if (pid === process.pid) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return errorCodeOf(error) === "EPERM"
  }
}

async function attempt<Result>(name: string, use: () => Promise<Result>): Promise<Result> {
  try {
    return await use()
  } catch (error) {
    if (error instanceof UsageFailure) throw error
    throw new UsageFailure(`${name} cannot be written${reasonOf(error)}.`, { cause: error })
  }
}
