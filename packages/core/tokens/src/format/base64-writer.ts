/** Writes bytes that arrive in pieces as base64 without padding (RFC 4648, section 4). */
export class Base64Writer {
  readonly #target: Buffer
  #at: number
  /** Up to two bytes that do not fill a group of three yet. */
  #rest: Buffer = Buffer.alloc(0)

  /** @param at the offset in the target to start at */
  constructor(target: Buffer, at: number) {
    this.#target = target
    this.#at = at
  }

  write(bytes: Buffer): void {
    const waiting = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes])
    const end = waiting.length - (waiting.length % 3)
    this.#at += this.#target.write(waiting.toString("base64", 0, end), this.#at, "latin1")
    this.#rest = waiting.subarray(end)
  }

  /** @returns the offset after the last character */
  end(): number {
    const last = this.#rest.toString("base64").replace(/=+$/, "")
    return this.#at + this.#target.write(last, this.#at, "latin1")
  }
}
