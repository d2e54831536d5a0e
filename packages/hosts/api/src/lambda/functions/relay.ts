import {
  createRelayFunction,
  createRelayServing,
  lambdaStreamingOf,
  RELAY_LIMITS,
  type StreamingHandler,
} from "@sealway/relay-proxy/lambda"
import { type ProcessEnvironment, startPlatform } from "../start-platform.ts"

/**
 * Starts the handler of the Lambda function for requests through relays, which arrive via CloudFront. In addition to
 * the platform's variables it reads `SEALWAY_RELAY_ORIGIN_SECRET`, which CloudFront sends.
 *
 * @throws Error when that is missing, or the relays' domain, or Lambda's response streaming
 */
export function start(environment: ProcessEnvironment): StreamingHandler {
  const { SEALWAY_RELAY_ORIGIN_SECRET: originSecret = "" } = environment
  const platform = startPlatform(environment)
  const { handler, settle } = createRelayServing(platform)
  return createRelayFunction({
    handler,
    originSecret,
    streaming: lambdaStreamingOf(globalThis),
    maxBodyBytes: RELAY_LIMITS.maxBodyBytes,
    settle,
    log: platform.log,
  })
}
