export { createCircuitBreaker } from "../networks/connector/circuit-breaker.ts"
export {
  type ConnectorClientOptions,
  type ConnectorTarget,
  createConnectorClient,
} from "../networks/connector/connector-client.ts"
export { createConnectorDocument } from "../networks/connector/connector-openapi.ts"
export type { ConnectorOperation } from "../networks/connector/connector-operation.ts"
export { CONNECTOR_OPERATIONS } from "../networks/connector/protocol.ts"
export { outcomeNumber } from "../networks/sandbox/outcome-of.ts"
export { SANDBOX_VALUES } from "../networks/sandbox/published-values.ts"
export { resultsProof } from "../three-d-secure-sessions/record/session-urls.ts"
export { MAX_SESSIONS, roomKey, WINDOW_MS } from "../three-d-secure-sessions/start/take-room.ts"
