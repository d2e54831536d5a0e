import {
  createDataRole,
  type DataRole,
  deleteDataRole,
  getDataRole,
  listDataRoles,
  updateDataRole,
} from "@sealway/sdk/api"
import type { Command } from "commander"
import * as z from "zod"
import { jsonOf } from "../service/json-of.ts"
import { showRecord } from "../service/show.ts"
import { addResource } from "../session/add-resource.ts"
import { type CommandLine, defineAction, NO_OPTIONS, ONE_ARGUMENT } from "../session/define-action.ts"
import { addYesOption, askBefore, yesOptionSchema } from "../terminal/ask-before.ts"
import { UsageFailure } from "../terminal/failures.ts"
import { formatJson, formatTime, NOTHING } from "../terminal/format.ts"
import type { Column } from "../terminal/output.ts"
import { MASK_HELP, maskOf } from "../values/mask-option.ts"

const COLUMNS: readonly Column<DataRole>[] = [
  { title: "slug", value: ({ slug }) => slug },
  { title: "name", value: ({ name }) => name },
  { title: "state", value: ({ archived }) => (archived ? "archived" : "in use") },
  { title: "created", value: ({ createdAt }) => formatTime(createdAt) },
  { title: "description", value: ({ description }) => description },
  { title: "access log", value: ({ accessLog }) => accessLog },
  { title: "mask", value: ({ mask }) => mask?.type ?? NOTHING },
]

const createOptions = z.object({
  name: z.string().optional(),
  description: z.string().optional(),
  accessLog: z.enum(["standard", "strict"], "--access-log must be standard or strict").optional(),
  mask: z.string().optional(),
})
const ACCESS_LOG_HELP =
  "standard, or strict: the audit log records each decryption before its values are returned"
const updateOptions = createOptions.extend({ restore: z.boolean().default(false) })

export function addRolesCommands(program: Command, line: CommandLine): void {
  const roles = program
    .command("roles")
    .helpCommand(false)
    .description("data roles: the categories of data that policies apply to")

  addResource(roles, line, {
    columns: COLUMNS,
    id: ["slug", "role"],
    list: {
      about: "List the app's data roles.",
      filters: NO_OPTIONS,
      call: ({ service, page }) => listDataRoles(service, page),
    },
    records: {
      get: {
        about: "Show a data role.",
        call: ({ service, args: [roleId] }) => getDataRole(service, { roleId }),
      },
    },
  })

  defineAction(
    line,
    roles
      .command("create")
      .argument("<slug>", "permanent name in the values: 1 to 20 lower-case letters, digits and dashes")
      .description("Create a data role. Until a policy permits it, its values cannot be decrypted.")
      .option("--name <name>", "display name (default: the slug)")
      .option("--description <text>", "description of the data")
      .option("--access-log <mode>", ACCESS_LOG_HELP)
      .option("--mask <mask>", MASK_HELP),
    { options: createOptions, arguments: ONE_ARGUMENT },
    async ({ asApp, output }, { name, description = "", accessLog, mask }, [slug]) => {
      const body = jsonOf({ slug, name: name ?? slug, description, accessLog, mask: maskOf(mask) })
      await showRecord(output, createDataRole(await asApp(), { body }), COLUMNS)
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
      .option("--mask <mask>", MASK_HELP)
      .option("--restore", "restore an archived role"),
    { options: updateOptions, arguments: ONE_ARGUMENT },
    async ({ asApp, output }, { name, description, accessLog, mask, restore }, [roleId]) => {
      if ([name, description, accessLog, mask].every((each) => each === undefined) && !restore) {
        throw new UsageFailure("Nothing to change. Pass at least one option.")
      }
      const fields = { name, description, accessLog, mask: maskOf(mask) }
      const changes = jsonOf({ ...fields, ...(restore && { archived: false }) })
      await showRecord(output, updateDataRole(await asApp(), { roleId, body: changes }), COLUMNS)
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
      const deletion = await deleteDataRole(await asApp(), { roleId: slug })
      if (output.mode === "json") output.json(formatJson(deletion))
      else
        output.note(deletion.outcome === "archived" ? `Archived ${slug}: it was used.` : `Deleted ${slug}.`)
    },
  )
}
