import type { GatewayLimits } from "./limits.ts"

/** The share of all requests in flight for one endpoint, so that a slow one leaves room for the others. */
const ENDPOINT_SHARE = 1 / 2

/** The share of an endpoint's requests for those with large bodies, so that they leave room for small ones. */
const LARGE_SHARE = 1 / 2

interface InFlight {
  small: number
  large: number
}

const NONE: Readonly<InFlight> = { small: 0, large: 0 }

/** Counts requests in flight, and tells whether another one fits. */
export class Load {
  readonly #maxOfEndpoint: number
  readonly #maxRequests: number
  readonly #byFunction = new Map<string, InFlight>()
  #requests = 0

  constructor({ maxRequestsInFlight }: Pick<GatewayLimits, "maxRequestsInFlight">) {
    this.#maxRequests = maxRequestsInFlight
    this.#maxOfEndpoint = Math.ceil(maxRequestsInFlight * ENDPOINT_SHARE)
  }

  /** Requests whose handlers have not ended. */
  get requests(): number {
    return this.#requests
  }

  /** Whether another request to a function fits. */
  hasRoom(functionName: string, isLarge: boolean): boolean {
    const { small, large } = this.#byFunction.get(functionName) ?? NONE
    return (
      this.#requests < this.#maxRequests &&
      small + large < this.#maxOfEndpoint &&
      (!isLarge || large < Math.ceil(this.#maxOfEndpoint * LARGE_SHARE))
    )
  }

  /** Counts a request that `hasRoom` accepted. */
  begin(functionName: string, isLarge: boolean): void {
    this.#count(functionName, isLarge, 1)
  }

  /** Ends what `begin` began. */
  end(functionName: string, isLarge: boolean): void {
    this.#count(functionName, isLarge, -1)
  }

  #count(functionName: string, isLarge: boolean, change: 1 | -1): void {
    const inFlight = this.#byFunction.get(functionName) ?? { ...NONE }
    this.#requests += change
    inFlight[isLarge ? "large" : "small"] += change
    this.#byFunction.set(functionName, inFlight)
  }
}
