export {
  createMemoryTable,
  type MemoryTable,
  type MemoryTableOptions,
  type TableCall,
} from "./memory-table.ts"
export { createMortalProcess } from "./mortal-process.ts"
export { NO_LIMITS } from "./no-limits.ts"
export { NO_STATS } from "./no-stats.ts"
export { SimulatedQueues } from "./simulated-queues.ts"
export { sqsRecord } from "./sqs-record.ts"
export { TEST_APP } from "./test-app.ts"
export { createTestAgreement, createTestEnvelope, createTestKeyring } from "./test-keyring.ts"
export { withoutLaterWrites } from "./without-later-writes.ts"
