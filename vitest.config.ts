import { availableParallelism } from "node:os"
import { defineConfig } from "vitest/config"
import { LongestFirst } from "./test/support/longest-first.ts"

/** Other people's SDKs, which read the environment once and change modules of Node.js. */
const INTEROP = "test/interop/**/*.test.ts"
/**
 * Linters of OpenAPI and of types leave hundreds of megabytes behind, through which each collection of garbage walks: in a
 * shared process the files after them take half as long again.
 */
const ALONE = "test/{api/openapi-document,sdk/package}.test.ts"
/** What builds the stacks or the functions of the whole cloud. The AWS CDK leaves as much behind. */
const CLOUD = "test/infra/{stacks,deployment-order,publish,assembly,compile-cache}.test.ts"
/** What needs a browser, another runtime or a privilege. `npm run test:apart` runs these, `CLOUD` and `INTEROP`. */
const APART = [
  "test/browser/**/*.test.ts",
  "test/emulator/**/*.test.ts",
  "test/lambda/**/*.test.ts",
  "test/relay/{document-readers,form-readers,forward-challenge,forward-clients,frameworks}.test.ts",
  "test/release/audit-signatures.test.ts",
  "test/sdk/{python,runtimes}.test.ts",
]

/** Lets frames in browsers run their source. */
const FRAMES = ["test/support/frames-from-source.ts"]

const isShuffled = process.argv.some((argument) => argument.startsWith("--sequence.shuffle"))

export default defineConfig({
  test: {
    // Node.js loads the tests as it loads the product, without Vite's copy of each module between: a sixth less time.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    ...(!isShuffled && { sequence: { sequencer: LongestFirst } }),
    // Much of a test is waiting, for other processes and for time to pass: one worker more than cores leaves none idle.
    maxWorkers: availableParallelism() + 1,
    reporters: ["default", "./test/support/closing-line-reporter.ts"],
    // By default V8 looks for garbage each time a test has made 16 MB of it: a twentieth of the suite's time.
    execArgv: ["--min-semi-space-size=32", "--max-semi-space-size=64"],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // `isolate: false`: a worker evaluates what it imports once, not for every file, which is a third of the suite's time.
    // Nothing in the product keeps state outside of what is created, so no file can tell which ones ran before it.
    projects: [
      {
        extends: true,
        test: {
          name: "sealway",
          include: ["packages/*/*/src/**/*.test.ts", "test/**/*.test.ts"],
          exclude: [ALONE, CLOUD, INTEROP, ...APART],
          isolate: false,
        },
      },
      // With the condition `development`, which Vitest sets, one of the linters offers only TypeScript, which Node.js does not
      // load from an installed package.
      { extends: true, test: { name: "alone", include: [ALONE], experimental: { viteModuleRunner: true } } },
      { extends: true, test: { name: "apart", include: APART, isolate: false, setupFiles: FRAMES } },
      { extends: true, test: { name: "cloud", include: [CLOUD] } },
      { extends: true, test: { name: "interop", include: [INTEROP] } },
    ],
  },
})
