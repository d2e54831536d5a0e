import type { GatewayLimits } from "./limits.ts"

/**
 * The size up to which a request body or an answer is small: it is refused last, so that large ones cannot crowd it
 * out.
 */
export const SMALL_BYTES = 64 * 1024

/** The share of all bytes in flight for large ones. The rest is for small ones. */
const LARGE_SHARE = 3 / 4

/** The share of all requests in flight for one endpoint, so that a slow one leaves room for the others. */
const ENDPOINT_SHARE = 1 / 2

/** A holder of bytes: one request, or its answer. */
export interface BytesHolder {
  heldBytes: number
}

/** Counts what is in flight, and tells what still fits. */
export class Load {
  readonly #limits: Pick<GatewayLimits, "maxRequestsInFlight" | "maxBytesInFlight">
  readonly #byFunction = new Map<string, number>()
  #requests = 0
  #bytes = 0

  constructor(limits: Pick<GatewayLimits, "maxRequestsInFlight" | "maxBytesInFlight">) {
    this.#limits = limits
  }

  /** Requests that wait for their handler or its answer. */
  get requests(): number {
    return this.#requests
  }

  /** Bodies that are received but not completely handled, and answers that are not read. */
  get bytes(): number {
    return this.#bytes
  }

  /** Whether another request to a function, with a body of this size, fits. */
  hasRoom(functionName: string, bytes: number): boolean {
    const { maxRequestsInFlight } = this.#limits
    return (
      this.#requests < maxRequestsInFlight &&
      (this.#byFunction.get(functionName) ?? 0) < Math.ceil(maxRequestsInFlight * ENDPOINT_SHARE) &&
      this.#fits(bytes, bytes)
    )
  }

  /** Counts a request that `hasRoom` accepted. */
  begin(functionName: string): void {
    this.#requests += 1
    this.#byFunction.set(functionName, (this.#byFunction.get(functionName) ?? 0) + 1)
  }

  /** Ends what `begin` began. */
  end(functionName: string): void {
    this.#requests -= 1
    this.#byFunction.set(functionName, (this.#byFunction.get(functionName) ?? 0) - 1)
  }

  /** Counts more bytes for a holder. Returns false, and counts nothing, when they do not fit. */
  take(holder: BytesHolder, bytes: number): boolean {
    if (!this.#fits(bytes, holder.heldBytes + bytes)) return false
    this.#count(holder, bytes)
    return true
  }

  /**
   * Does the same for an answer. A small one always fits, because its content, such as a new key, may be shown only
   * once.
   */
  takeAnswer(holder: BytesHolder, bytes: number): boolean {
    if (bytes > SMALL_BYTES) return this.take(holder, bytes)
    this.#count(holder, bytes)
    return true
  }

  /** Releases all bytes of a holder. */
  release(holder: BytesHolder): void {
    this.#bytes -= holder.heldBytes
    holder.heldBytes = 0
  }

  #count(holder: BytesHolder, bytes: number): void {
    this.#bytes += bytes
    holder.heldBytes += bytes
  }

  #fits(bytes: number, ofHolder: number): boolean {
    const share = ofHolder > SMALL_BYTES ? LARGE_SHARE : 1
    return this.#bytes + bytes <= this.#limits.maxBytesInFlight * share
  }
}
