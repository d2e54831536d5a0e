import { fillMissingKeyParts } from "@sealway/management"
import { type ProcessEnvironment, startPlatform } from "../start-platform.ts"

/** Starts the handler of the scheduled Lambda function that adds missing parts to key versions. */
export function start(environment: ProcessEnvironment): () => Promise<void> {
  const platform = startPlatform(environment)
  return () => fillMissingKeyParts(platform)
}
