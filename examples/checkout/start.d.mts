import type { Server } from "node:http"

export interface CheckoutOptions {
  /** What `. .sealway/env` sets. */
  readonly sealway: {
    readonly url: string
    readonly relayUrl: string
    readonly appId: string
    readonly apiKey: string
    readonly teamKey: string
  }
  /** 0 picks a free one. */
  readonly shopPort?: number
  /** 0 picks a free one. */
  readonly processorPort?: number
  /** Told of each charge as the processor was sent it. */
  readonly onCharge?: (charge: unknown) => void
}

export interface Checkout {
  /** The shop's origin. */
  readonly url: string
  /** Of the shop. */
  readonly server: Server
  close(): Promise<void>
}

export function startCheckout(options: CheckoutOptions): Promise<Checkout>
