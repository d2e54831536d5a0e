import {
  createRelayFunction,
  createRelayServing,
  lambdaStreamingOf,
  RELAY_LIMITS,
  type StreamingHandler,
} from "@sealway/relay-proxy/lambda"
import { type ProcessEnvironment, startPlatform } from "../start-platform.ts"

/**
 * The handler of the Lambda function that requests through relays come to by way of CloudFront. Beside the platform's
 * variables it takes `SEALWAY_RELAY_ORIGIN_SECRET`, which CloudFront shows.
 *
 * @throws Error when that is missing, or relays' domain, or Lambda's response streaming
 */
export function start(environment: ProcessEnvironment): StreamingHandler {
  const { SEALWAY_RELAY_ORIGIN_SECRET: originSecret = "" } = environment
  const platform = startPlatform(environment)
  const { handler, observer } = createRelayServing(platform)
  return createRelayFunction({
    handler,
    originSecret,
    streaming: lambdaStreamingOf(globalThis),
    maxBodyBytes: RELAY_LIMITS.maxBodyBytes,
    settle: () => observer.settle(),
    log: platform.log,
  })
}
