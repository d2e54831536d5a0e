import { open } from "node:fs/promises"

export interface WritePiecesOptions {
  /** Receives the size of each written piece in bytes. */
  readonly onWritten: (bytes: number) => void
  readonly signal: AbortSignal
}

/** Writes a new file piece by piece, and syncs it. Never replaces or follows an existing file. */
export async function writePieces(
  path: string,
  mode: 0o600 | 0o700,
  pieces: AsyncIterable<Uint8Array>,
  { onWritten, signal }: WritePiecesOptions,
): Promise<void> {
  const handle = await open(path, "wx", mode)
  try {
    for await (const piece of pieces) {
      signal.throwIfAborted()
      await handle.writeFile(piece)
      onWritten(piece.length)
    }
    await handle.sync()
  } finally {
    await handle.close()
  }
}
