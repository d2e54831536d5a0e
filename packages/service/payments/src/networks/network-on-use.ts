import { loadOnce } from "@sealway/kernel"
import type { CardNetwork } from "./card-network.ts"

/** Creates a network that is loaded by the first operation: most requests ask none, and a cold start is shorter without. */
export function networkOnUse(load: () => Promise<CardNetwork>): CardNetwork {
  const network = loadOnce(load)
  return {
    bin: async (request) => (await network()).bin(request),
    par: async (request) => (await network()).par(request),
    verify: async (request) => (await network()).verify(request),
    enrolMerchant: async (request) => (await network()).enrolMerchant(request),
    withdrawMerchant: async (request) => (await network()).withdrawMerchant(request),
    registerDomain: async (request) => (await network()).registerDomain(request),
    withdrawDomain: async (request) => (await network()).withdrawDomain(request),
    enrolAcquirer: async (request) => (await network()).enrolAcquirer(request),
    withdrawAcquirer: async (request) => (await network()).withdrawAcquirer(request),
    threeDSRange: async (request) => (await network()).threeDSRange(request),
    authenticate: async (request) => (await network()).authenticate(request),
    registerCard: async (request) => (await network()).registerCard(request),
    deregisterCard: async (request) => (await network()).deregisterCard(request),
    subscribeUpdates: async (request) => (await network()).subscribeUpdates(request),
    unsubscribeUpdates: async (request) => (await network()).unsubscribeUpdates(request),
    watchRetry: async (request) => (await network()).watchRetry(request),
    unwatchRetry: async (request) => (await network()).unwatchRetry(request),
    answerAlert: async (request) => (await network()).answerAlert(request),
    provisionToken: async (request) => (await network()).provisionToken(request),
    tokenStanding: async (request) => (await network()).tokenStanding(request),
    deleteToken: async (request) => (await network()).deleteToken(request),
    cryptogram: async (request) => (await network()).cryptogram(request),
    cardArt: async (request) => (await network()).cardArt(request),
  }
}
