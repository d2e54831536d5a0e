export interface Setup {
  readonly merchantId: string
  readonly paymentsKey: string
  readonly relay: {
    readonly url: string
    readonly domain: string
    readonly appId: string
    readonly key: string
  }
  /** What card fields need in the browser. */
  readonly browser: { readonly teamId: string; readonly appId: string; readonly role: string }
}

export function setUp(
  sealway: {
    readonly url: string
    readonly relayUrl: string
    readonly appId: string
    readonly apiKey: string
    readonly teamKey: string
  },
  origins: { readonly shop: string; readonly processor: string },
): Promise<Setup>
