import { env } from "node:process"
import { createPlatform, parseConfiguration } from "@sealway/platform"
import { createAwsClients } from "@sealway/platform/aws"
import { defaultMemoryBytes, memoryBudgetOf } from "@sealway/platform/ingress"
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
