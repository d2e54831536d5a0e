import type { CardNetwork } from "../card-network.ts"
import { sandboxBin } from "./sandbox-bins.ts"
import { sandboxAcquirer, sandboxDomain, sandboxMerchant } from "./sandbox-enrolments.ts"
import { sandboxPar } from "./sandbox-par.ts"
import { sandboxVerify } from "./sandbox-verify.ts"

export interface SandboxOptions {
  /** Epoch milliseconds. */
  readonly wallClock: () => number
  /** 32 bytes of the app's own, by which its payment account references are made. */
  readonly parKey: () => Promise<Uint8Array>
}

/** The network of sandbox apps: the same request brings the same answer. It asks nobody and keeps nothing. */
export function createSandboxNetwork({ wallClock, parKey }: SandboxOptions): CardNetwork {
  return {
    bin: async (request) => sandboxBin(request),
    par: async (request) => sandboxPar(request, await parKey()),
    verify: async (request) => sandboxVerify(request),
    enrolMerchant: async (request) => sandboxMerchant(request, wallClock()),
    withdrawMerchant: async () => ({ status: "withdrawn" }),
    registerDomain: async (request) => sandboxDomain(request, wallClock()),
    withdrawDomain: async () => ({ status: "withdrawn" }),
    enrolAcquirer: async (request) => sandboxAcquirer(request),
    withdrawAcquirer: async () => ({ status: "withdrawn" }),
  }
}
