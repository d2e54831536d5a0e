export { Accesses } from "./exploring/accesses.ts"
export {
  dyingWhen,
  type Explored,
  type ExploredFrom,
  exploreHistories,
} from "./exploring/explore-histories.ts"
export { ASKING, REPEATED_WRITE, tableCall, unavailable, WRITE } from "./exploring/faults.ts"
export {
  type Deviations,
  formatDeviations,
  formatSteps,
  parseDeviations,
  type Step,
} from "./exploring/history.ts"
export { createSender, deliverables, type Messages, type QueuedMessage } from "./exploring/queues.ts"
export { type Call, createProcess, type Process, type Reach, Scheduler } from "./exploring/scheduler.ts"
export {
  type Bounds,
  type Failure,
  follow,
  followTurns,
  type History,
  type RunOnce,
  type SearchResult,
  searchAll,
  searchAtRandom,
  type Turn,
} from "./exploring/search.ts"
export { SimulatedService } from "./exploring/simulated-service.ts"
export { withVirtualTime } from "./exploring/virtual-time.ts"
export { createMemoryKeys } from "./memory-keys.ts"
export {
  createMemoryTable,
  type MemoryTable,
  type MemoryTableOptions,
  type TableCall,
} from "./memory-table.ts"
export { sqsRecord } from "./sqs-record.ts"
