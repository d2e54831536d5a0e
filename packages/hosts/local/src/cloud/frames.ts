/** A message over a stream: a type (one ASCII character), a length (uint32, big-endian) and that many bytes. */
export interface Frame {
  readonly type: string
  readonly body: Buffer
}

const HEADER_BYTES = 5

export function encodeFrame(type: string, body: Uint8Array): Buffer {
  const frame = Buffer.allocUnsafe(HEADER_BYTES + body.length)
  frame.write(type, 0, "latin1")
  frame.writeUInt32BE(body.length, 1)
  frame.set(body, HEADER_BYTES)
  return frame
}

/** Assembles frames from what arrives. Holds no more than one frame, however small the pieces are. */
export class FrameReader {
  readonly #header = Buffer.alloc(HEADER_BYTES)
  readonly #maxBytes: number
  #headerBytes = 0
  /** Null while the header is incomplete. */
  #body: Buffer | null = null
  #bodyBytes = 0

  /** @param maxBytes of a frame's body */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** The length of the frame that has begun and is not complete. */
  get expectedBytes(): number {
    return this.#body?.length ?? 0
  }

  /**
   * @returns the frames that are now complete; null when one is longer than allowed, and reading must stop
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
        if (bodyBytes > this.#maxBytes) return null
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
