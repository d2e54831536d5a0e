import type { Command } from "commander"
import * as z from "zod"
import { ROLES_PATH } from "../plan/stored-policies.ts"
import { readAnswer } from "../service/answers.ts"
import { jsonBody } from "../service/json-body.ts"
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
import { UsageFailure } from "../terminal/failures.ts"
import { formatTime } from "../terminal/format.ts"
import type { Column } from "../terminal/output.ts"

const roleSchema = z.object({
  id: z.string(),
  slug: z.string(),
  name: z.string(),
  description: z.string(),
  archived: z.boolean(),
  accessLog: z.string().default("standard"),
  createdAt: z.number(),
})

const COLUMNS: readonly Column<z.infer<typeof roleSchema>>[] = [
  { title: "slug", value: ({ slug }) => slug },
  { title: "name", value: ({ name }) => name },
  { title: "state", value: ({ archived }) => (archived ? "archived" : "in use") },
  { title: "created", value: ({ createdAt }) => formatTime(createdAt) },
  { title: "description", value: ({ description }) => description },
  { title: "access log", value: ({ accessLog }) => accessLog },
]

const createOptions = z.object({
  name: z.string().optional(),
  description: z.string().optional(),
  accessLog: z.enum(["standard", "strict"], "--access-log must be standard or strict").optional(),
})
const ACCESS_LOG_HELP =
  "standard, or strict: the audit log records each decryption before its values are returned"
const updateOptions = createOptions.extend({ restore: z.boolean().default(false) })
const deletionSchema = z.object({ outcome: z.string() })

export function addRolesCommands(program: Command, line: CommandLine): void {
  const roles = program
    .command("roles")
    .helpCommand(false)
    .description("data roles: the categories of data that policies apply to")

  defineAction(
    line,
    addListOptions(roles.command("list").description("List the app's data roles.")),
    { options: listOptionsSchema, arguments: NO_ARGUMENTS },
    async ({ asApp, output }, options) => {
      await printList(await asApp(), output, { path: ROLES_PATH }, options, roleSchema, COLUMNS)
    },
  )

  defineAction(
    line,
    roles
      .command("create")
      .argument("<slug>", "permanent name in the values: 1 to 20 lower-case letters, digits and dashes")
      .description("Create a data role. Until a policy permits it, its values cannot be decrypted.")
      .option("--name <name>", "display name (default: the slug)")
      .option("--description <text>", "description of the data")
      .option("--access-log <mode>", ACCESS_LOG_HELP),
    { options: createOptions, arguments: ONE_ARGUMENT },
    async ({ asApp, output }, { name, description = "", accessLog }, [slug]) => {
      const body = jsonBody({ slug, name: name ?? slug, description, accessLog })
      await showAnswer(await asApp(), output, { method: "POST", path: ROLES_PATH, body }, roleSchema, COLUMNS)
    },
  )

  defineAction(
    line,
    roles.command("get").argument("<slug>", "role").description("Show a data role."),
    { options: NO_OPTIONS, arguments: ONE_ARGUMENT },
    async ({ asApp, output }, _options, [slug]) => {
      const call = { method: "GET", path: [...ROLES_PATH, slug] } as const
      await showAnswer(await asApp(), output, call, roleSchema, COLUMNS)
    },
  )

  defineAction(
    line,
    roles
      .command("update")
      .argument("<slug>", "role")
      .description("Change a data role. Options that you leave out stay unchanged.")
      .option("--name <name>", "display name")
      .option("--description <text>", "description of the data")
      .option("--access-log <mode>", ACCESS_LOG_HELP)
      .option("--restore", "restore an archived role"),
    { options: updateOptions, arguments: ONE_ARGUMENT },
    async ({ asApp, output }, { name, description, accessLog, restore }, [slug]) => {
      const isUnchanged = name === undefined && description === undefined && accessLog === undefined
      if (isUnchanged && !restore) {
        throw new UsageFailure("Nothing to change. Pass at least one option.")
      }
      const changes = { name, description, accessLog, ...(restore && { archived: false }) }
      const call = { method: "PATCH", path: [...ROLES_PATH, slug], body: jsonBody(changes) } as const
      await showAnswer(await asApp(), output, call, roleSchema, COLUMNS)
    },
  )

  defineAction(
    line,
    addYesOption(
      roles
        .command("delete")
        .argument("<slug>", "role")
        .description(
          "Delete a data role. A role that was used is archived instead: its values still follow its policies.",
        ),
    ),
    { options: yesOptionSchema, arguments: ONE_ARGUMENT },
    async ({ asApp, output, host }, options, [slug]) => {
      await askBefore(host, options, `Delete the role ${slug}?`)
      const service = await asApp()
      const response = await service.send({ method: "DELETE", path: [...ROLES_PATH, slug] })
      const { text, value } = await readAnswer(response, deletionSchema)
      if (output.mode === "json") output.json(text)
      else output.note(value.outcome === "archived" ? `Archived ${slug}: it was used.` : `Deleted ${slug}.`)
    },
  )
}
