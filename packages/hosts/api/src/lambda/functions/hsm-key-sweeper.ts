import { sweepHsmKeys } from "@sealway/keys"
import { type ProcessEnvironment, startPlatform } from "../start-platform.ts"

/** Starts the handler of the scheduled Lambda function that lets KMS delete keys which no key version uses. */
export function start(environment: ProcessEnvironment): () => Promise<void> {
  const platform = startPlatform(environment)
  return async () => {
    await sweepHsmKeys(platform)
  }
}
