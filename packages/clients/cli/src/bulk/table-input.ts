import { createHash, type Hash } from "node:crypto"
import { createReadStream, type Stats } from "node:fs"
import { open, stat } from "node:fs/promises"
import { resolve } from "node:path"
import { KB } from "@sealway/kernel"
import { reasonOf } from "../files/read-input.ts"
import { UsageFailure } from "../terminal/failures.ts"
import type { CliHost } from "../terminal/host.ts"

const CHUNK_BYTES = 256 * KB
/** A stream is identified by the digest of its whole blocks. */
const BLOCK_BYTES = 64 * KB
/** For how many blocks the digest is kept: those of the rows in progress, and more. */
const MAX_DIGESTS = 1_024

/** The source of a table: a file, or a stream that cannot go back. */
export interface TableInput {
  /** Null when unknown. */
  readonly sizeBytes: number | null
  /** Reads from the start, to look ahead. Everything read comes again with `chunks`. */
  peek(from: number): AsyncIterable<Uint8Array>
  /**
   * Reads from a position to the end.
   *
   * @param expected the `identityAt` of the position in an earlier run; null for none
   * @throws UsageFailure when the input is a different one, or changes before its end
   */
  chunks(position: number, expected: string | null): AsyncIterable<Uint8Array>
  /** Identifies this input by what was read up to a position. Contains nothing from which that could be guessed. */
  identityAt(position: number): string
}

/**
 * Opens a file, or standard input for `-`.
 *
 * @param secret prevents others from guessing a stream's content from its digest
 * @throws UsageFailure when it cannot be read
 */
export async function openTableInput(host: CliHost, file: string, secret: string): Promise<TableInput> {
  const { stdin, stderr, folder, signal } = host
  if (file === "-") {
    if (stdin.isTTY === true) stderr.write("Reading from the terminal; press Ctrl-D to end.\n")
    return new StreamInput(stdin, secret, signal)
  }
  const path = resolve(folder, file)
  try {
    const handle = await open(path)
    const found = await handle.stat()
    if (found.isFile()) {
      await handle.close()
      return fileInput(file, path, found)
    }
    if (found.isDirectory()) {
      await handle.close()
      throw new UsageFailure(`${file} is a folder.`)
    }
    // A pipe may have a name too: `<(zcat table.csv.gz)`.
    return new StreamInput(handle.createReadStream({ highWaterMark: CHUNK_BYTES }), secret, signal)
  } catch (error) {
    throw error instanceof UsageFailure ? error : unreadable(file, error)
  }
}

const identityOf = ({ size, mtimeMs }: Stats) => `file ${size} ${mtimeMs}`

function fileInput(file: string, path: string, found: Stats): TableInput {
  const identity = identityOf(found)
  const read = async function* (start: number): AsyncGenerator<Uint8Array> {
    try {
      yield* createReadStream(path, { start, highWaterMark: CHUNK_BYTES }) as AsyncIterable<Uint8Array>
    } catch (error) {
      throw unreadable(file, error)
    }
  }
  return {
    sizeBytes: found.size,
    peek: read,
    async *chunks(position, expected) {
      if (expected !== null && expected !== identity) throw changed()
      yield* read(position)
      // A file that is still being written may end in the middle of a row, and its header may change.
      const left = await stat(path).catch(() => null)
      if (left === null || identityOf(left) !== identity) throw changedMeanwhile()
    },
    identityAt: () => identity,
  }
}

class StreamInput implements TableInput {
  readonly sizeBytes = null
  readonly #source: AsyncIterator<unknown>
  readonly #signal: AbortSignal
  readonly #secret: string
  readonly #hash: Hash
  #peeked: Uint8Array[] = []
  #blockBytes = 0
  #blocks = 0
  /** By the number of blocks. */
  readonly #digests = new Map<number, string>()

  constructor(stream: AsyncIterable<unknown>, secret: string, signal: AbortSignal) {
    this.#source = stream[Symbol.asyncIterator]()
    this.#signal = signal
    this.#secret = secret
    this.#hash = createHash("sha256").update(secret)
    this.#keepDigest()
  }

  async *peek(from: number): AsyncGenerator<Uint8Array> {
    let skip = from
    for (let index = 0; ; index++) {
      const chunk = this.#peeked[index] ?? (await this.#pull())
      if (chunk === null) return
      if (index === this.#peeked.length) this.#peeked.push(chunk)
      if (chunk.length > skip) yield chunk.subarray(skip)
      skip = Math.max(0, skip - chunk.length)
    }
  }

  async *chunks(position: number, expected: string | null): AsyncGenerator<Uint8Array> {
    let skip = position
    let isChecked = expected === null
    for (;;) {
      if (!isChecked && skip === 0) {
        if (this.identityAt(position) !== expected) throw changed()
        isChecked = true
      }
      const chunk = this.#peeked.shift() ?? (await this.#pull())
      if (chunk === null) break
      const rest = chunk.subarray(Math.min(skip, chunk.length))
      skip = Math.max(0, skip - chunk.length)
      if (rest.length === 0) continue
      if (!isChecked && this.identityAt(position) !== expected) throw changed()
      isChecked = true
      yield rest
    }
    if (skip > 0 || !isChecked) throw changed()
  }

  identityAt(position: number): string {
    const blocks = Math.floor(position / BLOCK_BYTES)
    return `stream ${blocks} ${this.#digests.get(blocks) ?? "unread"}`
  }

  /** Returns the next chunk; null at the end. Stops waiting when the user gives up. */
  async #pull(): Promise<Buffer | null> {
    this.#signal.throwIfAborted()
    const { promise: aborted, reject } = Promise.withResolvers<never>()
    const onAbort = () => reject(this.#signal.reason)
    this.#signal.addEventListener("abort", onAbort)
    try {
      const next = await Promise.race([this.#source.next(), aborted])
      if (next.done === true) return null
      const chunk = typeof next.value === "string" ? Buffer.from(next.value) : next.value
      if (!Buffer.isBuffer(chunk)) throw new TypeError("The input is no stream of bytes")
      this.#digest(chunk)
      return chunk
    } finally {
      this.#signal.removeEventListener("abort", onAbort)
    }
  }

  #digest(chunk: Uint8Array): void {
    let rest = chunk
    while (rest.length > 0) {
      const piece = rest.subarray(0, BLOCK_BYTES - this.#blockBytes)
      this.#hash.update(piece)
      rest = rest.subarray(piece.length)
      this.#blockBytes += piece.length
      if (this.#blockBytes === BLOCK_BYTES) {
        this.#blocks++
        this.#blockBytes = 0
        this.#keepDigest()
      }
    }
  }

  #keepDigest(): void {
    this.#digests.set(this.#blocks, this.#hash.copy().update(this.#secret).digest("base64url"))
    this.#digests.delete(this.#blocks - MAX_DIGESTS)
  }
}

function unreadable(file: string, error: unknown): UsageFailure {
  return new UsageFailure(`${file} cannot be read${reasonOf(error)}.`, { cause: error })
}

function changed(): UsageFailure {
  return new UsageFailure(
    "The input is not the one that this output was started with. Pass --restart to start over.",
  )
}

function changedMeanwhile(): UsageFailure {
  return new UsageFailure(
    "The input changed while it was being read. Make sure that nothing writes to it, and run the command again with --restart.",
  )
}
