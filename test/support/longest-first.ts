import { BaseSequencer, type TestSpecification } from "vitest/node"

/** Files that take ten seconds or more. */
const LONG = [
  "test/infra/assembly.test.ts",
  "test/api/write-crashes.test.ts",
  "test/infra/stacks.test.ts",
  "test/start/start.test.ts",
  "test/api/openapi-document.test.ts",
  "test/upgrade/upgrade.test.ts",
  "test/functions/restart.test.ts",
  "test/start/host.test.ts",
  "test/start/workers.test.ts",
  "test/webhooks/delivery.test.ts",
  "test/lambda/escapes/escapes.test.ts",
  "test/browser/checkout.test.ts",
]

/** Starts with the files that take longest, so that no worker waits for another's at the end. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rankOf = ({ moduleId }: TestSpecification) => {
      const rank = LONG.findIndex((name) => moduleId.endsWith(name))
      return rank === -1 ? LONG.length : rank
    }
    // Stable: the others keep vitest's own order.
    return (await super.sort(files)).toSorted((left, right) => rankOf(left) - rankOf(right))
  }
}
