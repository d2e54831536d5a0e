export { ORIGIN_SECRET_HEADER } from "../edge/edge-headers.ts"
export { RELAY_LIMITS } from "../limits.ts"
export { createRelayServing } from "../serving.ts"
export { RELAY_SERVING_GRANTS } from "../serving-grants.ts"
export {
  type LambdaStreaming,
  lambdaStreamingOf,
  type ReplyHead,
  type StreamingHandler,
} from "./lambda-streaming.ts"
export { createRelayFunction } from "./relay-function.ts"
