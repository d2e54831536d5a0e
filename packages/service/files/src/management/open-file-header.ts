import { InvalidTokenError, readStreamHeader, type StreamHeader } from "@sealway/tokens"
import type { StreamOpener } from "@sealway/vault"

/** A header that the app's keys have opened: nobody has changed it. */
export interface OpenedHeader {
  readonly header: StreamHeader
  /** The key of the file's chunks, 32 bytes. */
  readonly key: Buffer
}

/** Opens the header of a streaming file. Returns null when it is not one, or not the app's. */
export async function openFileHeader(opener: StreamOpener, bytes: Uint8Array): Promise<OpenedHeader | null> {
  try {
    const header = readStreamHeader(bytes)
    return { header, key: await opener.openStream(header) }
  } catch (error) {
    if (error instanceof InvalidTokenError) return null
    throw error
  }
}
