import type { Readable, Writable } from "node:stream"

/**
 * Passes a piece of a stream on. The stream pauses while what reads it is slower.
 *
 * @param written called once the piece has left this process
 */
export function writePaced(chunk: Buffer, from: Readable, to: Writable, written?: () => void): void {
  if (to.write(chunk, written)) return
  from.pause()
  to.once("drain", () => from.resume())
}
