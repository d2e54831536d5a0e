/**
 * What goes over file descriptor 3 between an instance and us: a type (one ASCII character), a length (uint32, big-endian)
 * and as many bytes.
 *
 * - `I`, to the instance: an invocation, `{"requestId", "deadlineMs"}`, a line feed, and the event, JSON both
 * - `R`: ready for invocations
 * - `S`: the result, JSON. `E`: a JSON error instead of it
 * - `F`: a JSON error, after which the process ends: the module did not load, or an error that nothing caught
 *
 * The function's own code can write there too, so nothing that is read is trusted beyond being of that instance.
 */
export interface Frame {
  readonly type: string
  readonly body: Buffer
}

const HEADER_BYTES = 5

/** A result of Lambda's largest size, and room for the JSON of an error. */
export const MAX_FRAME_BYTES = 6_291_556 + 64 * 1024

export function encodeFrame(type: "I", body: Uint8Array): Buffer {
  const frame = Buffer.allocUnsafe(HEADER_BYTES + body.length)
  frame.write(type, 0, "latin1")
  frame.writeUInt32BE(body.length, 1)
  frame.set(body, HEADER_BYTES)
  return frame
}

/** Puts frames together from what arrives. */
export class FrameReader {
  #chunks: Buffer[] = []
  #length = 0

  /** @returns the frames that are complete now; null when one is longer than `MAX_FRAME_BYTES`: give up then */
  read(chunk: Buffer): Frame[] | null {
    this.#chunks.push(chunk)
    this.#length += chunk.length
    const frames: Frame[] = []
    while (this.#length >= HEADER_BYTES) {
      const bodyBytes = this.#peekHeader().readUInt32BE(1)
      if (bodyBytes > MAX_FRAME_BYTES) return null
      if (this.#length < HEADER_BYTES + bodyBytes) break
      const all = Buffer.concat(this.#chunks)
      const end = HEADER_BYTES + bodyBytes
      frames.push({ type: all.toString("latin1", 0, 1), body: all.subarray(HEADER_BYTES, end) })
      this.#chunks = [all.subarray(end)]
      this.#length -= end
    }
    return frames
  }

  #peekHeader(): Buffer {
    const [first = Buffer.alloc(0)] = this.#chunks
    if (first.length >= HEADER_BYTES) return first
    const all = Buffer.concat(this.#chunks)
    this.#chunks = [all]
    return all
  }
}
