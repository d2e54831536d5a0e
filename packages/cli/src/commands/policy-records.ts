import type { Command } from "commander"
import * as z from "zod"
import { findPolicyId } from "../plan/find-policy-id.ts"
import { POLICIES_PATH } from "../plan/stored-policies.ts"
import { addListOptions, listOptionsSchema, printList } from "../service/list-pages.ts"
import { showAnswer } from "../service/show-answer.ts"
import {
  type CommandLine,
  defineAction,
  NO_ARGUMENTS,
  NO_OPTIONS,
  ONE_ARGUMENT,
} from "../session/define-action.ts"
import { addYesOption, askBefore, yesOptionSchema } from "../terminal/ask-before.ts"
import { formatJson, formatList, formatTime, NOTHING } from "../terminal/format.ts"
import type { Column } from "../terminal/output.ts"

const policySchema = z.object({
  id: z.string(),
  name: z.string(),
  effect: z.string(),
  roles: z.array(z.string()),
  conditions: z.unknown().optional(),
  cedar: z.string().nullish(),
  updatedAt: z.number(),
})

const LIST_COLUMNS: readonly Column<z.infer<typeof policySchema>>[] = [
  { title: "id", value: ({ id }) => id },
  { title: "name", value: ({ name }) => name },
  { title: "effect", value: ({ effect }) => effect },
  { title: "roles", value: ({ roles }) => formatList(roles) },
  { title: "updated", value: ({ updatedAt }) => formatTime(updatedAt) },
]
const COLUMNS: readonly Column<z.infer<typeof policySchema>>[] = [
  ...LIST_COLUMNS,
  { title: "conditions", value: ({ conditions }) => (conditions ? formatJson(conditions) : NOTHING) },
  { title: "cedar", value: ({ cedar }) => cedar?.replace(/\s+/g, " ").trim() ?? NOTHING },
]

export function addPolicyRecordCommands(policies: Command, line: CommandLine): void {
  defineAction(
    line,
    addListOptions(policies.command("list").description("List the app's data policies.")),
    { options: listOptionsSchema, arguments: NO_ARGUMENTS },
    async ({ asApp, output }, options) => {
      await printList(await asApp(), output, { path: POLICIES_PATH }, options, policySchema, LIST_COLUMNS)
    },
  )

  defineAction(
    line,
    policies.command("get").argument("<policy>", "id or name").description("Show a data policy."),
    { options: NO_OPTIONS, arguments: ONE_ARGUMENT },
    async ({ asApp, output }, _options, [policy]) => {
      const service = await asApp()
      const path = [...POLICIES_PATH, await findPolicyId(service, policy)]
      await showAnswer(service, output, { method: "GET", path }, policySchema, COLUMNS)
    },
  )

  defineAction(
    line,
    addYesOption(
      policies
        .command("delete")
        .argument("<policy>", "id or name")
        .description("Delete a data policy. Decryptions that only it permitted are refused from now on."),
    ),
    { options: yesOptionSchema, arguments: ONE_ARGUMENT },
    async ({ asApp, output, host }, options, [policy]) => {
      await askBefore(host, options, `Delete the policy ${policy}?`)
      const service = await asApp()
      const id = await findPolicyId(service, policy)
      await service.send({ method: "DELETE", path: [...POLICIES_PATH, id] })
      output.note(`Deleted ${id}.`)
    },
  )
}
