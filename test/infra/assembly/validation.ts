import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import * as z from "zod"
import { buildApp } from "../../../stacks/app.ts"
import { fullStage, placeholderBundles, temporaryFolder } from "../synthesize-stage.ts"

const reportSchema = z.object({ pluginReports: z.array(z.unknown()) })

test("synthesizes a stage that has a resource of every kind without a violation of any severity", () => {
  const outFolder = temporaryFolder()
  buildApp({ stage: fullStage(), outFolder, bundles: placeholderBundles(temporaryFolder()) }).synth()
  const report: unknown = JSON.parse(readFileSync(join(outFolder, "validation-report.json"), "utf8"))
  expect(reportSchema.parse(report).pluginReports).toEqual([])
})
