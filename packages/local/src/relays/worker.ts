import {
  createClientsOver,
  createFigureReports,
  createPlatform,
  parseConfiguration,
  REQUEST_TIMEOUT_MS,
} from "@sealway/platform"
import { memoryBudgetOf } from "@sealway/platform/ingress"
import { createDataRoles } from "@sealway/policies"
import { createRelayDirectory } from "@sealway/relay"
import { openParentPipe, RELAY_LIMITS, serveAsWorker } from "@sealway/relay-proxy"
import { createCaller } from "../cloud/calls/create-caller.ts"
import { databaseOver } from "../cloud/dynamodb/table/database-calls.ts"
import { createDatabaseTable } from "../cloud/dynamodb/table/database-table.ts"
import { keysOver } from "../cloud/kms/key-calls.ts"
import { queuesOver } from "../cloud/queues/queue-calls.ts"
import { changeSchema, forgetChanged } from "./changes.ts"
import { createRelayServers } from "./relays.ts"
import { setupSchema } from "./setup.ts"

/** A worker of `npm start` that serves relays with the embedded cloud of the process that started it. */
serveAsWorker(async (told) => {
  const { environment, memoryBytes, ...rest } = setupSchema.parse(told)
  const options = { ...rest, memory: memoryBudgetOf(memoryBytes) }
  const configuration = parseConfiguration(environment)
  const call = createCaller(openParentPipe(), REQUEST_TIMEOUT_MS)
  const database = databaseOver(call)
  const clients = createClientsOver(
    {
      openTable: (name, wallClock) => createDatabaseTable(database, name, wallClock),
      keys: keysOver(call),
      queues: queuesOver(call),
    },
    configuration,
  )
  const platform = createPlatform(configuration, clients)
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
