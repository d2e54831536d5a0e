import { type DataPolicyExplanation, explainDataPolicies } from "@sealway/sdk/api"
import type { Command } from "commander"
import * as z from "zod"
import { readDeclaredPolicies } from "../plan/declared-policies.ts"
import { jsonOf } from "../service/json-of.ts"
import { type CommandLine, defineAction, NO_ARGUMENTS } from "../session/define-action.ts"
import { formatJson, NOTHING } from "../terminal/format.ts"
import type { Column } from "../terminal/output.ts"

type PolicyPart = DataPolicyExplanation["policies"][number]

const COLUMNS: readonly Column<PolicyPart>[] = [
  { title: "policy", value: ({ name }) => name },
  { title: "effect", value: ({ effect }) => effect },
  {
    title: "applies",
    value: ({ matched, failedConditions }) => (matched ? "yes" : `no: ${failedConditions.join(", ")}`),
  },
  { title: "decides", value: ({ decided }) => (decided ? "yes" : "no") },
  {
    title: "budget",
    value: ({ budget }) => (budget === null ? NOTHING : `${budget.values} per ${budget.per}`),
  },
]

const optionsSchema = z.object({
  role: z.string(),
  source: z.string().optional(),
  ip: z.string().optional(),
  time: z.string().optional(),
  apiKey: z.string().optional(),
  function: z.string().optional(),
  relayDestination: z.string().optional(),
  pcr0: z.string().optional(),
  pcr1: z.string().optional(),
  pcr2: z.string().optional(),
  pcr8: z.string().optional(),
  hasReason: z.boolean().optional(),
  policies: z.string().optional(),
})

export function addPolicyExplainCommand(policies: Command, line: CommandLine): void {
  const command = policies
    .command("explain")
    .summary("show a decision and its reasons")
    .description(
      "Shows the decision for a value of a role, the policies that cause it, and the failed conditions of the others. " +
        "Conditions on context that you leave out do not hold. Nothing is decrypted or counted.",
    )
    .requiredOption("-r, --role <slug>", "data role")
    .option("--source <source>", "api (default), client-token, relay, function or enclave")
    .option("--ip <address>", "IP address that the request comes from")
    .option("--time <time>", "time, such as 2026-01-31T18:00:00+01:00 (default: now)")
    .option("--api-key <id>", "id of the API key")
    .option("--function <name>", "function that decrypts")
    .option("--relay-destination <host>", "host that a relay sends to")
    .option("--has-reason", "the request says why it wants the value")
  for (const pcr of ["pcr0", "pcr1", "pcr2", "pcr8"])
    command.option(`--${pcr} <hex>`, "PCR of an enclave's attestation")
  command.option("--policies <folder>", "use the policies in these files instead of those of the service")
  defineAction(
    line,
    command,
    { options: optionsSchema, arguments: NO_ARGUMENTS },
    async ({ asApp, output, host }, { role, pcr0, pcr1, pcr2, pcr8, policies: folder, ...given }) => {
      const pcrs = { pcr0, pcr1, pcr2, pcr8 }
      const hasPcrs = Object.values(pcrs).some((pcr) => pcr !== undefined)
      const context = { ...given, ...(hasPcrs && { enclavePcrs: pcrs }) }
      const tried = folder === undefined ? undefined : (await readDeclaredPolicies(host, folder)).policies
      const body = jsonOf({ role, context, policies: tried?.filter(({ roles }) => roles.includes(role)) })
      const value = await explainDataPolicies(await asApp(), { body })
      if (output.mode === "json") output.json(formatJson(value))
      else if (output.mode === "quiet") output.line(value.decision)
      else {
        output.line(`${value.decision}: ${value.reason}`)
        output.rows(COLUMNS, value.policies)
      }
    },
  )
}
