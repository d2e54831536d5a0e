import { randomBytes } from "node:crypto"
import { open, rename, rm } from "node:fs/promises"
import { resolve } from "node:path"
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import { UnavailableFailure, UsageFailure } from "../terminal/failures.ts"
import type { CliHost } from "../terminal/host.ts"
import { reasonOf } from "./read-input.ts"

/** An answer's bytes, in pieces. */
export type ByteStream = AsyncIterable<Uint8Array> | readonly Uint8Array[]

const OWNER_ONLY = 0o600

/**
 * Streams an answer's bytes into a file that only its owner can read, and that appears complete or not at all.
 *
 * @throws UsageFailure when the file cannot be written
 * @throws UnavailableFailure when the answer breaks off
 */
export async function writeResultFile(
  { folder, signal }: CliHost,
  file: string,
  body: ByteStream,
): Promise<void> {
  const path = resolve(folder, file)
  const draft = `${path}.${randomBytes(6).toString("hex")}.part`
  try {
    const handle = await open(draft, "wx", OWNER_ONLY)
    await streamInto(body, handle.createWriteStream(), signal)
    await rename(draft, path)
  } catch (error) {
    await rm(draft, { force: true })
    if (error instanceof UnavailableFailure || signal.aborted) throw error
    throw new UsageFailure(`${file} cannot be written${reasonOf(error)}.`, { cause: error })
  }
}

/** Streams an answer's bytes to standard output, which stays open. */
export function writeResult({ stdout, signal }: CliHost, body: ByteStream): Promise<void> {
  return streamInto(body, stdout, signal, { end: false })
}

async function streamInto(
  body: ByteStream,
  target: NodeJS.WritableStream,
  signal: AbortSignal,
  options: { readonly end?: boolean } = {},
): Promise<void> {
  let brokeOff: unknown = null
  const source = Readable.from(body, { objectMode: false })
  source.once("error", (error) => {
    brokeOff ??= error
  })
  try {
    await pipeline(source, target, { signal, ...options })
  } catch (error) {
    if (brokeOff === error)
      throw new UnavailableFailure("The connection to the service was lost.", { cause: error })
    throw error
  }
}
