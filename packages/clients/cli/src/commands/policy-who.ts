import type { Command } from "commander"
import * as z from "zod"
import { readKnownPolicies } from "../plan/known-policies.ts"
import { linesOfDescription } from "../proofs/description-lines.ts"
import { policiesText } from "../proofs/policies-text.ts"
import { rulesOf } from "../proofs/rules-of.ts"
import { withProver } from "../proofs/with-prover.ts"
import { type CommandLine, defineAction, NO_ARGUMENTS } from "../session/define-action.ts"
import { EXIT } from "../terminal/exit-codes.ts"
import { CommandFailure } from "../terminal/failures.ts"
import { formatJson } from "../terminal/format.ts"

const optionsSchema = z.object({ role: z.string(), policies: z.string().optional() })

export function addPolicyWhoCommand(policies: Command, line: CommandLine): void {
  defineAction(
    line,
    policies
      .command("who")
      .summary("show who can ever decrypt values of a role")
      .description(
        "Shows all requests that a role's policies permit, one line for each kind of request. What a line does not " +
          'name may be anything; what is not "masked" is in full. Budgets are not counted. Status 1 when it cannot be decided within 10 seconds.',
      )
      .requiredOption("-r, --role <slug>", "data role")
      .option("--policies <folder>", "use the policies in these files instead of those of the service"),
    { options: optionsSchema, arguments: NO_ARGUMENTS },
    async ({ asApp, output, host }, { role, policies: folder }) => {
      const known = await readKnownPolicies(asApp, host, folder)
      const rules = await rulesOf(known.policies, role)
      if (rules.length === 0 && !known.roles.some(({ slug }) => slug === role)) {
        throw new CommandFailure("not-found", `There is no role ${role}.`, EXIT.notFound)
      }
      // A role that is not there may have one.
      const hasMask = known.roles.find(({ slug }) => slug === role)?.mask !== null
      const { describeAccess } = await import("@sealway/proofs")
      const nowMs = host.wallClock()
      const access = await withProver(({ solvers, session }) =>
        describeAccess(solvers, session, { rules, role, nowMs, hasMask }),
      )
      if (output.mode === "json") output.json(formatJson({ role, policies: rules.length, ...access }))
      else for (const text of linesOfDescription(access, "nobody")) output.line(text)
      output.note(`about ${policiesText(rules.length)}`)
      return access.known ? EXIT.ok : EXIT.failed
    },
  )
}
