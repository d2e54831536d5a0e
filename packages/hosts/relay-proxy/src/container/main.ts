import process, { env } from "node:process"
import { createPlatform } from "@sealway/http"
import { defaultMemoryBytes, memoryBudgetOf } from "@sealway/http/ingress"
import { createLog, parseConfiguration } from "@sealway/ports"
import { createAwsClients } from "@sealway/ports/aws"
import { parseContainerSettings } from "./container-settings.ts"
import { type RelayContainer, startRelayContainer, startSharedRelayContainer } from "./start-container.ts"

/** The process of the container image: it serves relays until it is told to stop. */
const configuration = parseConfiguration(env)
const settings = parseContainerSettings(env)
const log = createLog(configuration, Date.now)
const container = await start()
log.info("relays are served")

let isStopping = false
for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => stop(container))

function start(): Promise<RelayContainer> {
  const { workers } = settings
  if (workers > 1) return startSharedRelayContainer({ settings, workers, environment: env, log })
  const platform = createPlatform(configuration, createAwsClients(configuration))
  return startRelayContainer({ platform, settings, memory: memoryBudgetOf(defaultMemoryBytes(1)) })
}

/** Stops once: further calls change nothing. */
function stop({ close }: RelayContainer): void {
  if (isStopping) return
  isStopping = true
  close().then(
    () => process.exit(0),
    (error) => {
      log.error("relays did not shut down cleanly", { error })
      process.exit(1)
    },
  )
}
