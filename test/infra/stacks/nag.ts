import type { App } from "aws-cdk-lib"
import { AwsSolutionsChecks, PCIDSS321Checks } from "cdk-nag"
import { beforeAll, describe, expect, test } from "vitest"
import type { Acknowledgement } from "../../../stacks/acknowledgement.ts"
import { buildApp } from "../../../stacks/app.ts"
import type { StageConfig } from "../../../stacks/config.ts"
import { acknowledgements } from "../../../stacks/nag.ts"
import { RELAY_STAGE } from "../made-up-stage.ts"
import { fullStage, placeholderBundles, stageLike, temporaryFolder } from "../synthesize-stage.ts"
import { writeAssembly } from "../write-assembly.ts"

const PERSONAL = stageLike("ada")
const FULL = fullStage()

function appOf(stage: StageConfig, acknowledged: readonly Acknowledgement[]): App {
  return buildApp({
    stage,
    outFolder: temporaryFolder(),
    bundles: placeholderBundles(temporaryFolder()),
    acknowledged,
  })
}

/** Returns the ids of what cdk-nag finds, without those that are acknowledged. */
function findingsOf(app: App): string[] {
  const packs = [new AwsSolutionsChecks(app), new PCIDSS321Checks(app)]
  return packs.flatMap((pack) => pack.validateScope(app).violations.map(({ ruleName }) => ruleName)).sort()
}

describe.each([
  ["a personal stage", PERSONAL],
  ["a production stage with all that it can have", FULL],
  [
    "a stage with relays and no firewall, and a dashboard without a domain",
    stageLike("ada", { relay: RELAY_STAGE, dashboard: { domain: null } }),
  ],
] as const)("%s", (_name, stage) => {
  let bare: App
  let acknowledged: App
  beforeAll(() => {
    bare = appOf(stage, [])
    acknowledged = appOf(stage, acknowledgements(stage))
    // Only then are references between stacks written as in templates.
    expect(() => writeAssembly(bare)).toThrow("AwsSolutions-APIG4")
    writeAssembly(acknowledged)
  }, 120_000)

  test("has exactly the acknowledged findings of AwsSolutions and PCI DSS 3.2.1", () => {
    const expected = new Set(acknowledgements(stage).map(({ id }) => id))
    expect(findingsOf(bare)).toEqual([...expected].sort())
    expect(findingsOf(acknowledged)).toEqual([])
  })
})

describe("an acknowledgement", () => {
  test("gives a reason that a reviewer can judge", () => {
    for (const { reason } of acknowledgements(FULL)) expect(reason.length).toBeGreaterThan(50)
  })

  test("stops the synthesis when it is missing", () => {
    const [, ...others] = acknowledgements(PERSONAL)
    expect(() => writeAssembly(appOf(PERSONAL, others))).toThrow("AwsSolutions-APIG4")
  })
})
