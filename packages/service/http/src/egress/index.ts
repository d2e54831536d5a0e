export {
  createEgress,
  type Egress,
  type EgressOptions,
  MAX_ANSWER_BYTES,
  type PostAnswer,
  type PostRequest,
} from "./egress.ts"
export { EgressError, type EgressFailure } from "./egress-error.ts"
export { createGuardedConnector, type GuardedConnectorOptions } from "./guarded-connector.ts"
