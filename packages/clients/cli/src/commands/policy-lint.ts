import type { PolicyWarning } from "@sealway/policies/analysis"
import type { Command } from "commander"
import * as z from "zod"
import { readKnownPolicies } from "../plan/known-policies.ts"
import { policiesText } from "../proofs/policies-text.ts"
import { rulesOf } from "../proofs/rules-of.ts"
import { textOfWarning } from "../proofs/warning-text.ts"
import { withProver } from "../proofs/with-prover.ts"
import { type CommandLine, defineAction, NO_ARGUMENTS } from "../session/define-action.ts"
import { EXIT } from "../terminal/exit-codes.ts"
import { formatJson } from "../terminal/format.ts"

const optionsSchema = z.object({ policies: z.string().optional() })

export function addPolicyLintCommand(policies: Command, line: CommandLine): void {
  defineAction(
    line,
    policies
      .command("lint")
      .summary("warn about policies that do not do what they seem to")
      .description(
        "Warns about policies that apply to no request, change no decision, may fail, or permit anybody, and about " +
          "roles that nobody can open. Each warning is true of all possible requests. Status 1 when there are any.",
      )
      .option("--policies <folder>", "use the policies in these files instead of those of the service"),
    { options: optionsSchema, arguments: NO_ARGUMENTS },
    async ({ asApp, output, host }, { policies: folder }) => {
      const known = await readKnownPolicies(asApp, host, folder)
      const roles = new Set([
        ...known.roles.map(({ slug }) => slug),
        ...known.policies.flatMap((each) => each.roles),
      ])
      const { lintPolicies } = await import("@sealway/proofs")
      const nowMs = host.wallClock()
      const warnings = await withProver(async ({ solvers, session }) => {
        const found: PolicyWarning[] = []
        for (const role of [...roles].toSorted()) {
          const rules = await rulesOf(known.policies, role)
          // A role that is not there may have one.
          const hasMask = known.roles.find(({ slug }) => slug === role)?.mask !== null
          found.push(...(await lintPolicies(solvers, session, { role, rules, nowMs, hasMask })))
        }
        return found
      })
      if (output.mode === "json") output.json(formatJson({ policies: known.policies.length, warnings }))
      else for (const warning of warnings) output.line(`${warning.role}: ${textOfWarning(warning)}`)
      output.note(`${warnings.length} warnings about ${policiesText(known.policies.length)}`)
      return warnings.length === 0 ? EXIT.ok : EXIT.failed
    },
  )
}
