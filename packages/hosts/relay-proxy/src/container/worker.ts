import { env } from "node:process"
import { createPlatform } from "@sealway/http"
import { defaultMemoryBytes, memoryBudgetOf } from "@sealway/http/ingress"
import { parseConfiguration } from "@sealway/ports"
import { createAwsClients } from "@sealway/ports/aws"
import { serveAsWorker } from "../workers/serve-as-worker.ts"
import { CONTAINER_LIMITS, createContainerServing } from "./container-serving.ts"
import { parseContainerSettings } from "./container-settings.ts"

/** A worker of the container: it serves relays on the connections that the container accepts. */
serveAsWorker(async () => {
  const configuration = parseConfiguration(env)
  const settings = parseContainerSettings(env)
  const platform = createPlatform(configuration, createAwsClients(configuration))
  const { origin, proxy, close } = createContainerServing({
    platform,
    settings,
    memory: memoryBudgetOf(defaultMemoryBytes(settings.workers)),
  })
  return {
    accept: new Map([
      ["origin", origin.serve],
      ["proxy", (socket) => proxy.serve(socket)],
      ["strict-proxy", (socket) => proxy.serve(socket, true)],
    ]),
    maxClients: CONTAINER_LIMITS.maxClients,
    close,
  }
})
