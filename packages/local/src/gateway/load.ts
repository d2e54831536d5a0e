import type { GatewayLimits } from "./limits.ts"

/** Up to here a request's body, or an answer, is small: it is refused last, so that large ones cannot crowd it out. */
export const SMALL_BYTES = 64 * 1024

/** Of all bytes in flight, what large ones may take. The rest is for small ones. */
const LARGE_SHARE = 3 / 4

/** Of all requests in flight, what those to one endpoint may be, so that a slow one leaves room for the others. */
const ENDPOINT_SHARE = 1 / 2

/** Who holds bytes: one request, or the answer to it. */
export interface BytesHolder {
  heldBytes: number
}

/** Counts what is in flight, and says what still fits. */
export class Load {
  readonly #limits: Pick<GatewayLimits, "maxRequestsInFlight" | "maxBytesInFlight">
  readonly #byFunction = new Map<string, number>()
  #requests = 0
  #bytes = 0

  constructor(limits: Pick<GatewayLimits, "maxRequestsInFlight" | "maxBytesInFlight">) {
    this.#limits = limits
  }

  /** Requests that wait for their handler, or for its answer. */
  get requests(): number {
    return this.#requests
  }

  /** Of bodies received and not handled to the end, and of answers not taken off by their readers. */
  get bytes(): number {
    return this.#bytes
  }

  /** Whether another request to a function, with a body of so many bytes, fits. */
  hasRoom(functionName: string, bytes: number): boolean {
    const { maxRequestsInFlight } = this.#limits
    return (
      this.#requests < maxRequestsInFlight &&
      (this.#byFunction.get(functionName) ?? 0) < Math.ceil(maxRequestsInFlight * ENDPOINT_SHARE) &&
      this.#fits(bytes, bytes)
    )
  }

  /** Counts a request that `hasRoom` let in. */
  begin(functionName: string): void {
    this.#requests += 1
    this.#byFunction.set(functionName, (this.#byFunction.get(functionName) ?? 0) + 1)
  }

  /** Ends what `begin` began. */
  end(functionName: string): void {
    this.#requests -= 1
    this.#byFunction.set(functionName, (this.#byFunction.get(functionName) ?? 0) - 1)
  }

  /** Counts bytes that a holder takes besides those that it has. False, with nothing counted, when they do not fit. */
  take(holder: BytesHolder, bytes: number): boolean {
    if (!this.#fits(bytes, holder.heldBytes + bytes)) return false
    this.#count(holder, bytes)
    return true
  }

  /** The same for an answer. A small one always fits: what it tells, such as a new key, may be told only once. */
  takeAnswer(holder: BytesHolder, bytes: number): boolean {
    if (bytes > SMALL_BYTES) return this.take(holder, bytes)
    this.#count(holder, bytes)
    return true
  }

  /** Gives back all that a holder has. */
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
