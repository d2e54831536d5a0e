import { createAwsClients, createFigureReports, createPlatform, parseConfiguration } from "@sealway/platform"
import { memoryBudgetOf } from "@sealway/platform/ingress"
import { createDataRoles } from "@sealway/policies"
import { createRelayDirectory } from "@sealway/relay"
import { RELAY_LIMITS, serveAsWorker } from "@sealway/relay-proxy"
import { changeSchema, forgetChanged } from "./changes.ts"
import { createRelayServers } from "./relays.ts"
import { setupSchema } from "./setup.ts"

/** A worker of `npm start` that serves relays with the embedded cloud of the process that started it. */
serveAsWorker(async (told) => {
  const { environment, credentials, memoryBytes, ...rest } = setupSchema.parse(told)
  const options = { ...rest, memory: memoryBudgetOf(memoryBytes) }
  const configuration = parseConfiguration(environment)
  const platform = createPlatform(configuration, createAwsClients(configuration, { credentials }))
  if (platform.relay === null) throw new Error("The configuration has no relay domain")
  const dataRoles = createDataRoles(platform)
  const relays = createRelayDirectory({ ...platform, relayDomain: platform.relay.domain })
  const { reverse, forward, close } = createRelayServers(platform, options, { dataRoles, relays })
  return {
    accept: new Map([
      ["reverse", reverse.serve],
      ["forward", (socket) => forward.serve(socket)],
      ["strict-forward", (socket) => forward.serve(socket, true)],
    ]),
    maxClients: RELAY_LIMITS.maxClients,
    learn: (change) => forgetChanged(changeSchema.parse(change), { ...platform, dataRoles, relays }),
    report: createFigureReports(platform.stats.process),
    close,
  }
})
