import type { App } from "@sealway/accounts"
import { parseMessage, writeAReq } from "@sealway/three-d-secure"
import type { CardNetwork } from "../card-network.ts"
import type { SandboxAccounts } from "./sandbox-accounts.ts"
import { sandboxAlertAnswer } from "./sandbox-alerts.ts"
import { sandboxBin } from "./sandbox-bins.ts"
import { sandboxCard } from "./sandbox-cards.ts"
import { sandboxAcquirer, sandboxDomain, sandboxMerchant } from "./sandbox-enrolments.ts"
import { sandboxPar } from "./sandbox-par.ts"
import { sandboxWatch } from "./sandbox-retries.ts"
import { sandboxSubscription } from "./sandbox-subscriptions.ts"
import { sandboxCardArt, sandboxCryptogram, sandboxToken, sandboxTokenStanding } from "./sandbox-tokens.ts"
import { sandboxVerify } from "./sandbox-verify.ts"
import { type AccessControlServerDependencies, answerAReq } from "./three-d-secure/access-control-server.ts"
import { forwardAReq } from "./three-d-secure/directory-server.ts"
import { sandboxRange } from "./three-d-secure/sandbox-range.ts"

export interface SandboxOptions extends AccessControlServerDependencies {
  readonly app: App
  readonly accounts: SandboxAccounts
}

/**
 * Creates the network of sandbox apps: the same request gets the same answer. It asks nobody, and only stores the
 * challenges of its issuer, which browsers answer later, and the accounts of the numbers that it has made up.
 */
export function createSandboxNetwork(options: SandboxOptions): CardNetwork {
  const { app, wallClock, key, accounts } = options
  const parOf = async (number: string) =>
    (await accounts.find(app, number)) ?? sandboxPar({ number }, await key())
  const askIssuer = (areq: string) => answerAReq(areq, options)
  return {
    threeDSRange: async (request) => sandboxRange(request, app.id),
    async authenticate({ areq }) {
      return { message: parseMessage(await forwardAReq(writeAReq(areq), { key, askIssuer })) }
    },
    bin: async (request) => sandboxBin(request),
    par: ({ number }) => parOf(number),
    verify: async (request) => sandboxVerify(request),
    enrolMerchant: async (request) => sandboxMerchant(request, wallClock()),
    withdrawMerchant: async () => ({ status: "withdrawn" }),
    registerDomain: async (request) => sandboxDomain(request, wallClock()),
    withdrawDomain: async () => ({ status: "withdrawn" }),
    enrolAcquirer: async (request) => sandboxAcquirer(request),
    withdrawAcquirer: async () => ({ status: "withdrawn" }),
    async registerCard(request) {
      const standing = sandboxCard(request, wallClock())
      const number = standing.status === "replaced" ? standing.replacement.number : undefined
      if (number !== undefined) await accounts.assign(app, number, await parOf(request.number))
      return standing
    },
    deregisterCard: async () => ({ status: "deregistered" }),
    subscribeUpdates: async (request) => sandboxSubscription(request, wallClock()),
    unsubscribeUpdates: async () => ({ status: "unsubscribed" }),
    watchRetry: async (request) => sandboxWatch(request, wallClock()),
    unwatchRetry: async () => ({ status: "unwatched" }),
    answerAlert: async (request) => sandboxAlertAnswer(request),
    async provisionToken(request) {
      const account = await parOf(request.card.number)
      const answer = sandboxToken(request, account, await key())
      if (answer.result === "provisioned") await accounts.assign(app, answer.token.number, account)
      return answer
    },
    tokenStanding: async (request) => sandboxTokenStanding(request, wallClock()),
    deleteToken: async () => ({ status: "deleted" }),
    cryptogram: async (request) => sandboxCryptogram(request, await key()),
    cardArt: async (request) => sandboxCardArt(request),
  }
}
