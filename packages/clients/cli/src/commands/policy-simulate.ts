import { type DataPolicySimulation, simulateDataPolicies } from "@sealway/sdk/api"
import type { Command } from "commander"
import * as z from "zod"
import { readDeclaredPolicies } from "../plan/declared-policies.ts"
import type { PolicyState } from "../plan/desired-state.ts"
import { readStoredPolicies } from "../plan/stored-policies.ts"
import { jsonOf } from "../service/json-of.ts"
import { type CommandLine, defineAction } from "../session/define-action.ts"
import { formatJson, formatList, formatTime } from "../terminal/format.ts"
import type { Column } from "../terminal/output.ts"

type SimulatedChange = DataPolicySimulation["changes"][number]

const COLUMNS: readonly Column<SimulatedChange>[] = [
  { title: "role", value: ({ role }) => role },
  { title: "count", value: ({ count }) => String(count) },
  { title: "before", value: ({ before }) => before },
  { title: "after", value: ({ after }) => after },
  { title: "last at", value: ({ lastAt }) => formatTime(lastAt) },
  { title: "context", value: ({ context }) => contextText(context) },
  { title: "decided by", value: ({ policies }) => formatList(policies) },
]

const optionsSchema = z.object({
  hours: z
    .string()
    .regex(/^[1-9][0-9]{0,2}$/, "--hours must be a whole number from 1 to 168")
    .default("24")
    .transform(Number),
  role: z.string().optional(),
  prune: z.boolean().default(false),
})

export function addPolicySimulateCommand(policies: Command, line: CommandLine): void {
  defineAction(
    line,
    policies
      .command("simulate")
      .argument("<folder>", "folder with YAML files of policies")
      .summary("try policies on past decisions")
      .description(
        "Replays recent decisions against the policies that the service would have after apply, and shows which would " +
          "change. Nothing is applied.",
      )
      .option("--hours <number>", "how far to look back, up to 168 (default: 24)")
      .option("-r, --role <slug>", "only decisions on this role")
      .option("--prune", "as if everything that no file lists were deleted"),
    { options: optionsSchema, arguments: z.tuple([z.string()]) },
    async ({ asApp, output, host }, { hours, role, prune }, [folder]) => {
      const declared = await readDeclaredPolicies(host, folder)
      const service = await asApp()
      const stored = prune ? [] : (await readStoredPolicies(service)).policies
      const body = jsonOf({ hours, role, policies: policiesAfterApply(declared.policies, stored) })
      const value = await simulateDataPolicies(service, { body })
      if (output.mode === "json") output.json(formatJson(value))
      else if (output.mode === "text") output.rows(COLUMNS, value.changes)
      else output.line(String(value.changes.reduce((sum, { count }) => sum + count, 0)))
      output.note(
        `${value.evaluated} decisions replayed, ${value.changes.reduce((sum, { count }) => sum + count, 0)} would change.`,
      )
      if (value.truncated)
        output.note("The list is incomplete. Use fewer --hours, or one --role, to see the rest.")
    },
  )
}

/** What the files declare, and what no file names and therefore stays. */
function policiesAfterApply(declared: readonly PolicyState[], stored: readonly PolicyState[]): PolicyState[] {
  const names = new Set(declared.map(({ name }) => name))
  const staying = stored
    .filter(({ name }) => !names.has(name))
    .map(({ name, effect, roles, conditions, cedar }) => ({
      name,
      effect,
      roles,
      ...(cedar === undefined ? { conditions } : { cedar }),
    }))
  return [...declared, ...staying]
}

/** Formats the known parts of a context: `source=api ip=10.0.0.1`. */
function contextText(context: Readonly<Record<string, unknown>>): string {
  return Object.entries(context)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join(" ")
}
