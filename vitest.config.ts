import { availableParallelism } from "node:os"
import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    // Much of a test is waiting, for other processes and for time to pass: one worker a core leaves none idle.
    maxWorkers: availableParallelism(),
    include: ["packages/*/src/**/*.test.ts", "test/**/*.test.ts"],
    reporters: ["default", "./test/support/closing-line-reporter.ts"],
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
})
