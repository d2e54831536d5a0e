import type { IncomingMessage, Server } from "node:http"
import type { Sealway } from "@sealway/sdk"

export function createPageServer(options: {
  readonly sealway: Sealway
  readonly browser: { readonly teamId: string; readonly appId: string; readonly baseUrl: string }
  readonly script: string
  readonly documentOf: (request: IncomingMessage) => object | null
}): Server
