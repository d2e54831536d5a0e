import type { Server } from "node:http"
import type { SecurityModule } from "./nsm/security-module.ts"
import { createAgentServer } from "./server/agent-server.ts"
import type { OnError } from "./server/answer-problem.ts"
import { createIngressServer } from "./server/ingress-server.ts"
import type { AppOptions } from "./service/agent-options.ts"
import { decryptJson } from "./service/decrypt.ts"
import { createPublicKey } from "./service/public-key.ts"

export interface AgentOptions extends AppOptions {
  /** The port of the program that the ingress passes requests on to; null for no ingress. */
  readonly targetPort: number | null
}

export interface AgentDependencies {
  readonly securityModule: SecurityModule
  readonly fetch: typeof globalThis.fetch
  /** A monotonic clock, in milliseconds. */
  readonly now: () => number
  /** Epoch milliseconds. */
  readonly wallClock: () => number
  readonly onError: OnError
}

/** The servers of an agent. They do not listen yet. */
export interface Agent {
  /** For the program in the enclave. */
  readonly server: Server
  /** For requests to the program; null without a target. */
  readonly ingress: Server | null
}

export function createAgent(options: AgentOptions, dependencies: AgentDependencies): Agent {
  const { securityModule, wallClock, onError } = dependencies
  const { targetPort } = options
  const decrypt = (data: Buffer) => decryptJson(options, dependencies, data)
  return {
    server: createAgentServer({
      securityModule,
      decrypt,
      wallClock,
      onError,
      publicKey: createPublicKey(options, dependencies),
    }),
    ingress: targetPort === null ? null : createIngressServer({ targetPort, decrypt, onError }),
  }
}
