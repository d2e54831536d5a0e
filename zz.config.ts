import { defineConfig } from "vitest/config"
export default defineConfig({ test: { testTimeout: 120000, hookTimeout: 60000, maxWorkers: 1, include: ["packages/*/src/**/*.test.ts", "test/**/*.test.ts"], setupFiles: ["/tmp/zz/prof-setup.ts"], isolate: false } })
