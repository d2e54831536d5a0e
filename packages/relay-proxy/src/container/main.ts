import process, { env } from "node:process"
import { createAwsClients, createPlatform, parseConfiguration } from "@sealway/platform"
import { parseContainerSettings } from "./container-settings.ts"
import { type RelayContainer, startRelayContainer } from "./start-container.ts"

/** The process of the container image: it serves relays until it is told to stop. */
const configuration = parseConfiguration(env)
const settings = parseContainerSettings(env)
const platform = createPlatform(configuration, createAwsClients(configuration))
const container = await startRelayContainer({ platform, settings })
platform.log.info("relays are served")

let isStopping = false
for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => stop(container))

/** Stops once: what comes after changes nothing. */
function stop({ close }: RelayContainer): void {
  if (isStopping) return
  isStopping = true
  close().then(
    () => process.exit(0),
    (error) => {
      platform.log.error("relays did not end well", { error })
      process.exit(1)
    },
  )
}
