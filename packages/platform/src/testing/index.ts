export { createMemoryTable, type MemoryTable, type MemoryTableOptions } from "./memory-table.ts"
export { sqsRecord } from "./sqs-record.ts"
export { TEST_APP } from "./test-app.ts"
export { createTestKeyring } from "./test-keyring.ts"
