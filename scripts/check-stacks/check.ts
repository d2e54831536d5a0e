import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { buildApp } from "../../stacks/app.ts"
import { bundleFunctions } from "../../stacks/bundles/bundle-functions.ts"
import { overusedQuotas } from "../stage-size/quotas.ts"
import { readTemplates } from "../stage-size/read-templates.ts"
import { ACCEPTED } from "./accepted.ts"
import { type Finding, lint } from "./lint.ts"
import { STAGE_KINDS } from "./stage-kinds.ts"

/**
 * Synthesizes every kind of stage, runs cfn-lint on its templates, and counts what it takes of AWS's quotas.
 *
 * @param command cfn-lint
 * @returns whether it finds exactly the accepted findings, and enough room in the quotas
 */
export async function checkStacks(command: string, say: (line: string) => void): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), "sealway-check-stacks-"))
  try {
    const bundles = await bundleFunctions(join(folder, "bundles"))
    const unused = new Set(ACCEPTED)
    // Many templates are the same in several kinds.
    const seen = new Set<string>()
    const isNew = (path: string, region: string) => {
      const text = `${region}\n${readFileSync(path, "utf8")}`
      if (seen.has(text)) return false
      seen.add(text)
      return true
    }
    let isGood = true
    for (const [kind, stage] of STAGE_KINDS) {
      const outFolder = mkdtempSync(join(folder, "assembly-"))
      buildApp({ stage, outFolder, bundles }).synth()
      const templates = readdirSync(outFolder).filter((file) => file.endsWith(".template.json"))
      const paths = templates.map((file) => join(outFolder, file)).filter((path) => isNew(path, stage.region))
      const findings = paths.length === 0 ? [] : lint(command, stage.region, paths)
      const open = findings.filter((finding) => {
        const accepted = ACCEPTED.find(
          ({ rule, message }) => rule === finding.rule && message.test(finding.message),
        )
        if (accepted !== undefined) unused.delete(accepted)
        return accepted === undefined
      })
      say(`${kind}: ${templates.length} templates, ${paths.length} not seen before, ${open.length} findings`)
      for (const finding of open) say(`  ${describe(finding)}`)
      const overused = overusedQuotas(readTemplates(outFolder))
      for (const line of overused) say(`  ${line}`)
      isGood &&= open.length + overused.length === 0
    }
    for (const { rule, message } of unused) say(`${rule} ${message.source} is accepted, but not found.`)
    return isGood && unused.size === 0
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function describe({ rule, message, template, place }: Finding): string {
  return `${rule} ${basename(template, ".template.json")} ${place}: ${message}`
}
