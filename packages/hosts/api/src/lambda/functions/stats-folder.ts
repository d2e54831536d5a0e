import { foldStats } from "@sealway/records"
import { type ProcessEnvironment, startPlatform } from "../start-platform.ts"

/** Starts the handler of the scheduled Lambda function that adds up figures of minutes to hours and days. */
export function start(environment: ProcessEnvironment): () => Promise<void> {
  const platform = startPlatform(environment)
  return async () => {
    await foldStats(platform)
  }
}
