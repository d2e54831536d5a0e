import { fillMissingKeyParts } from "@sealway/management"
import { type ProcessEnvironment, startPlatform } from "../start-platform.ts"

/** Starts the handler of the scheduled Lambda function that adds missing parts to key versions. */
export function start(environment: ProcessEnvironment): () => Promise<void> {
  const platform = startPlatform(environment)
  return async () => {
    const filled = await fillMissingKeyParts(platform)
    platform.log.info(`All key versions have their parts. Added now: ${filled}`)
  }
}
