import { sweepErasures } from "@sealway/subjects"
import { type ProcessEnvironment, startPlatform } from "../start-platform.ts"

/** Starts the handler of the scheduled Lambda function that destroys the keys of data subjects when their time has come. */
export function start(environment: ProcessEnvironment): () => Promise<void> {
  const platform = startPlatform(environment)
  return async () => {
    await sweepErasures(platform)
  }
}
