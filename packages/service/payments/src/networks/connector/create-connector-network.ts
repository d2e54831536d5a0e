import type { App } from "@sealway/accounts"
import { ApiError } from "@sealway/kernel"
import type { CardNetwork } from "../card-network.ts"
import type { ConnectorClient, ConnectorTarget } from "./connector-client.ts"
import type { ConnectorOperation } from "./connector-operation.ts"
import { CONNECTOR_OPERATIONS } from "./protocol.ts"
import { withoutConnector } from "./without-connector.ts"

/** Creates the network of a production app: it returns exactly what its processor's connector answers. */
export function createConnectorNetwork(
  client: Pick<ConnectorClient, "ask">,
  app: Pick<App, "status">,
  findTarget: () => Promise<ConnectorTarget | null>,
): CardNetwork {
  const ask =
    <Request, Answer>(operation: ConnectorOperation<Request, Answer>) =>
    async (request: Request): Promise<Answer> => {
      if (app.status === "disabled") throw ofDisabledApp()
      const target = await findTarget()
      if (target === null) throw withoutConnector()
      return client.ask(target, operation, request)
    }
  return {
    bin: ask(CONNECTOR_OPERATIONS.bin),
    par: ask(CONNECTOR_OPERATIONS.par),
    verify: ask(CONNECTOR_OPERATIONS.verify),
    enrolMerchant: ask(CONNECTOR_OPERATIONS.enrolMerchant),
    withdrawMerchant: ask(CONNECTOR_OPERATIONS.withdrawMerchant),
    registerDomain: ask(CONNECTOR_OPERATIONS.registerDomain),
    withdrawDomain: ask(CONNECTOR_OPERATIONS.withdrawDomain),
    enrolAcquirer: ask(CONNECTOR_OPERATIONS.enrolAcquirer),
    withdrawAcquirer: ask(CONNECTOR_OPERATIONS.withdrawAcquirer),
    threeDSRange: ask(CONNECTOR_OPERATIONS.threeDSRange),
    authenticate: ask(CONNECTOR_OPERATIONS.authenticate),
    registerCard: ask(CONNECTOR_OPERATIONS.registerCard),
    deregisterCard: ask(CONNECTOR_OPERATIONS.deregisterCard),
    subscribeUpdates: ask(CONNECTOR_OPERATIONS.subscribeUpdates),
    unsubscribeUpdates: ask(CONNECTOR_OPERATIONS.unsubscribeUpdates),
    watchRetry: ask(CONNECTOR_OPERATIONS.watchRetry),
    unwatchRetry: ask(CONNECTOR_OPERATIONS.unwatchRetry),
    answerAlert: ask(CONNECTOR_OPERATIONS.answerAlert),
    provisionToken: ask(CONNECTOR_OPERATIONS.provisionToken),
    tokenStanding: ask(CONNECTOR_OPERATIONS.tokenStanding),
    deleteToken: ask(CONNECTOR_OPERATIONS.deleteToken),
    cryptogram: ask(CONNECTOR_OPERATIONS.cryptogram),
    cardArt: ask(CONNECTOR_OPERATIONS.cardArt),
  }
}

/** Pending work of an app is not done while it is disabled. */
function ofDisabledApp(): ApiError {
  return new ApiError(
    "service-unavailable",
    "The app is disabled. Its connector is not called until the app is enabled.",
  )
}
