/**
 * Writes down what a deployment of this version must not lose in later ones. Run once for each release, with that release:
 *
 *     CDK_VALIDATION=false node scripts/run.mjs test/upgrade/make-stateful-resources.ts test/upgrade/stateful-resources-0.1.0.json
 */
import { writeFileSync } from "node:fs"
import { findStatefulResources } from "./stateful-resources.ts"

const [target = ""] = process.argv.slice(2)
const lines = Object.entries(await findStatefulResources()).map(
  ([id, resource]) => `${JSON.stringify(id)}: ${JSON.stringify(resource)}`,
)
writeFileSync(target, `{\n${lines.join(",\n")}\n}\n`)
