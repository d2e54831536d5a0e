/**
 * Stores the templates of a stage of this version, which later ones must update without loss. Run once for each
 * release, with that release:
 *
 *     CDK_VALIDATION=false node scripts/run.mjs test/upgrade/make-stage.ts test/upgrade/stage-0.2.0.zip
 */
import { writeFileSync } from "node:fs"
import { strToU8, zipSync } from "fflate"
import { synthesizeTemplates } from "./stage-templates.ts"

/** The same templates make the same file. */
const MTIME = new Date("2000-01-01T00:00:00Z")

const [target = ""] = process.argv.slice(2)
const files = Object.entries(await synthesizeTemplates()).map(
  ([stack, template]) => [`${stack}.json`, strToU8(JSON.stringify(template))] as const,
)
writeFileSync(target, zipSync(Object.fromEntries(files), { level: 9, mtime: MTIME }))
