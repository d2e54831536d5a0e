import type { Socket } from "node:net"
import { CORS } from "@sealway/api/cors"
import { createMainEndpoints } from "@sealway/api/main-endpoints"
import { createPlatform, type Platform } from "@sealway/http"
import { type MemoryBudget, memoryBudgetOf } from "@sealway/http/ingress"
import { createDataRoles, type DataRoles } from "@sealway/policies"
import { createClientsOver, parseConfiguration, REQUEST_TIMEOUT_MS } from "@sealway/ports"
import { createFigureReports } from "@sealway/records"
import { createRelayDirectory } from "@sealway/relay"
import { openParentPipe, RELAY_LIMITS, serveAsWorker } from "@sealway/relay-proxy"
import { createCaller } from "../cloud/calls/create-caller.ts"
import { databaseOver } from "../cloud/dynamodb/table/database-calls.ts"
import { createDatabaseTable } from "../cloud/dynamodb/table/database-table.ts"
import { keysOver } from "../cloud/kms/key-calls.ts"
import { queuesOver } from "../cloud/queues/queue-calls.ts"
import { createGateway, type Gateway, limitsOf, logTo } from "../gateway/index.ts"
import { createRelayServers } from "../relays/relays.ts"
import { changeSchema, forgetChanged } from "./changes.ts"
import { createForwardTarget } from "./forwarded-connections.ts"
import { type Setup, setupSchema } from "./setup.ts"
import { API_LISTENER } from "./shared-api.ts"

/** A worker of `npm start` that serves relays and the API with the embedded cloud of the process that started it. */
serveAsWorker(async (told) => {
  const { environment, memoryBytes, api, ...rest } = setupSchema.parse(told)
  const memory = memoryBudgetOf(memoryBytes)
  const configuration = parseConfiguration(environment)
  const call = createCaller(openParentPipe(), REQUEST_TIMEOUT_MS)
  const database = databaseOver(call)
  const clients = createClientsOver(
    {
      openTable: (name, wallClock) => createDatabaseTable(database, name, wallClock),
      keys: keysOver(call),
      queues: queuesOver(call),
      openObjects: () => onlyInFirst(),
      openFunctionHost: () => onlyInFirst(),
    },
    configuration,
  )
  const platform = createPlatform(configuration, clients)
  if (platform.relay === null) throw new Error("The configuration has no relay domain")
  const dataRoles = createDataRoles(platform)
  const relays = createRelayDirectory({ ...platform, relayDomain: platform.relay.domain })
  const { reverse, forward, ...servers } = createRelayServers(
    platform,
    { ...rest, memory },
    { dataRoles, relays },
  )
  const gateway = createWorkerGateway(platform, dataRoles, memory, api)
  return {
    accept: new Map<string, (socket: Socket) => void>([
      [API_LISTENER, gateway.serveAt(api)],
      ["reverse", (socket) => reverse.serve(socket)],
      ["forward", (socket) => forward.serve(socket)],
      ["strict-forward", (socket) => forward.serve(socket, true)],
    ]),
    maxClients: RELAY_LIMITS.maxClients,
    learn: (change) => forgetChanged(changeSchema.parse(change), { ...platform, dataRoles, relays }),
    report: createFigureReports(platform.stats.process),
    async close() {
      await Promise.all([gateway.close(), servers.close()])
      // What the last of them has counted and recorded.
      await Promise.all([
        dataRoles.flush(),
        platform.accessLog.flush(),
        platform.stats.flush(),
        platform.limiter.flush(),
      ])
    },
  }
})

function onlyInFirst(): never {
  throw new TypeError("Only the first process has objects and functions")
}

/** Answers the endpoints of the main job, and passes everything else on to the first process. */
function createWorkerGateway(
  platform: Platform,
  dataRoles: DataRoles,
  memory: MemoryBudget,
  { routes, load, allowedHosts, forwardAddress }: Setup["api"],
): Gateway {
  const served = createMainEndpoints(platform, dataRoles)
  const handlers = new Map(served.map(({ endpoint, handler }) => [endpoint.id, handler]))
  return createGateway({
    // All of them: a path of the first process may also match the pattern of an endpoint here.
    routes: routes.map((route) => ({ ...route, handler: handlers.get(route.functionName) ?? null })),
    answerUnknown: null,
    forwardTarget: createForwardTarget(forwardAddress),
    limits: limitsOf(platform.hosting, load),
    memory,
    cors: CORS,
    allowedHosts,
    ...logTo(platform.log),
  })
}
