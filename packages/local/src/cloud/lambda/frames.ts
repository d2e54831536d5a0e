/**
 * A message over file descriptor 3 between an instance and this process: a type (one ASCII character), a length
 * (uint32, big-endian) and that many bytes.
 *
 * - `I`, to the instance: an invocation: `{"requestId", "deadlineMs"}`, a line feed, and the event, both JSON
 * - `R`: ready for invocations
 * - `S`: the result, JSON. `E`: a JSON error instead of it
 * - `F`: a JSON error, after which the process ends: the module did not load, or an uncaught error
 *
 * The function's own code can write there too, so nothing that is read is trusted, except that it comes from that
 * instance.
 */
export interface Frame {
  readonly type: string
  readonly body: Buffer
}

const HEADER_BYTES = 5

/** A result of Lambda's maximum size, and room for the JSON of an error. */
export const MAX_FRAME_BYTES = 6_291_556 + 64 * 1024

export function encodeFrame(type: "I", body: Uint8Array): Buffer {
  const frame = Buffer.allocUnsafe(HEADER_BYTES + body.length)
  frame.write(type, 0, "latin1")
  frame.writeUInt32BE(body.length, 1)
  frame.set(body, HEADER_BYTES)
  return frame
}

/** Assembles frames from what arrives. Holds no more than one frame, however small the pieces are. */
export class FrameReader {
  readonly #header = Buffer.alloc(HEADER_BYTES)
  #headerBytes = 0
  /** Null while the header is incomplete. */
  #body: Buffer | null = null
  #bodyBytes = 0

  /** The length of the frame that has begun and is not complete. */
  get expectedBytes(): number {
    return this.#body?.length ?? 0
  }

  /**
   * @returns the frames that are now complete; null when one is longer than `MAX_FRAME_BYTES`, and reading must stop
   */
  read(chunk: Buffer): Frame[] | null {
    const frames: Frame[] = []
    let rest = chunk
    while (rest.length > 0) {
      if (this.#body === null) {
        const taken = rest.copy(this.#header, this.#headerBytes)
        this.#headerBytes += taken
        rest = rest.subarray(taken)
        if (this.#headerBytes < HEADER_BYTES) break
        const bodyBytes = this.#header.readUInt32BE(1)
        if (bodyBytes > MAX_FRAME_BYTES) return null
        this.#body = Buffer.alloc(bodyBytes)
      }
      const taken = rest.copy(this.#body, this.#bodyBytes)
      this.#bodyBytes += taken
      rest = rest.subarray(taken)
      if (this.#bodyBytes < this.#body.length) break
      frames.push({ type: this.#header.toString("latin1", 0, 1), body: this.#body })
      this.#body = null
      this.#headerBytes = 0
      this.#bodyBytes = 0
    }
    return frames
  }
}
