export { NO_LIMITS } from "./no-limits.ts"
export { TEST_APP } from "./test-app.ts"
