import { mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { buildDashboard } from "./build-dashboard.ts"
import { bundleFunctions } from "./bundles/bundle-functions.ts"
import { compileCacheMaker } from "./bundles/compile-cache.ts"
import { BUNDLES_LIST, type FunctionBundle } from "./bundles/function-bundle.ts"
import { requireRecipients, type StageConfig } from "./config.ts"
import { stackName } from "./names.ts"
import { dashboardUploads, UPLOADS_LIST } from "./uploads.ts"

/** Next to the templates; what is published is copied from it. */
const BUNDLES = "bundles"
const DASHBOARD = "dashboard"

/**
 * Writes what the stacks of a stage need beside their templates into an assembly's folder: the bundled functions, and the dashboard
 * if the stage has one. `bundles.json` lists the bundles and what each is made of, and `uploads.json` what the deployment
 * uploads into buckets of the stacks.
 *
 * @param withCompileCaches whether V8's are in the zips, which takes a quarter of a second each
 * @throws Error when the stage may not be deployed
 */
export async function prepareStage(
  stage: StageConfig,
  outFolder: string,
  withCompileCaches: boolean,
): Promise<readonly FunctionBundle[]> {
  requireRecipients(stage)
  const bundlesFolder = join(outFolder, BUNDLES)
  await mkdir(bundlesFolder, { recursive: true })
  const compileCachesBy = withCompileCaches ? compileCacheMaker(process.env) : null
  const bundles = await bundleFunctions(bundlesFolder, { compileCachesBy })
  await writeFile(join(outFolder, BUNDLES_LIST), JSON.stringify(bundles))
  if (stage.dashboard !== null) {
    await buildDashboard(join(outFolder, DASHBOARD))
    const uploads = await dashboardUploads(outFolder, DASHBOARD, stackName(stage, "dashboard"))
    await writeFile(join(outFolder, UPLOADS_LIST), JSON.stringify([uploads]))
  }
  return bundles
}
