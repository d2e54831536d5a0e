export { createRelayServing, type RelayServing } from "../container/serving.ts"
export { RELAY_SERVING_GRANTS } from "../container/serving-grants.ts"
export { createCloudFrontClient, createCloudFrontEdge, DISTRIBUTION_TAG } from "../edge/cloudfront-edge.ts"
export { ORIGIN_SECRET_HEADER } from "../edge/edge-headers.ts"
export { RELAY_LIMITS } from "../limits.ts"
export {
  type LambdaStreaming,
  lambdaStreamingOf,
  type ReplyHead,
  type StreamingHandler,
} from "./lambda-streaming.ts"
export { createRelayFunction, type RelayFunctionOptions } from "./relay-function.ts"
