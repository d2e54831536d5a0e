/** HTTP/1.1 from unknown clients, for the local gateway and for relays. */
export { ClientConnection, type ReceivedRequest, type Turn } from "./client-connection.ts"
export { closingMessage } from "./closing-message.ts"
export { type Deadline, Deadlines } from "./deadlines.ts"
export { discardBody } from "./discard-body.ts"
export type { EdgeLimits } from "./edge-limits.ts"
export { createEdgeServer, type EdgeServer, type ParserError } from "./edge-server.ts"
export { isOnlyChunked } from "./is-only-chunked.ts"
export {
  createHold,
  MemoryBudget,
  type MemoryBudgetOptions,
  type MemoryHold,
  memoryBudgetOf,
  SMALL_BYTES,
} from "./memory-budget.ts"
export { DEFAULT_MEMORY_BYTES, defaultMemoryBytes, MIN_MEMORY_BYTES } from "./memory-size.ts"
