import type { Command } from "commander"
import * as z from "zod"
import { jsonBody } from "../service/json-body.ts"
import { addListOptions, listOptionsSchema, printList } from "../service/list-pages.ts"
import { showSecret } from "../service/show-answer.ts"
import { type CommandLine, defineAction, NO_ARGUMENTS, ONE_ARGUMENT } from "../session/define-action.ts"
import { addYesOption, askBefore, yesOptionSchema } from "../terminal/ask-before.ts"
import { formatTime } from "../terminal/format.ts"
import type { Column } from "../terminal/output.ts"

const PATH = ["team-keys"]

const keySchema = z.object({
  id: z.string(),
  name: z.string().nullish(),
  createdAt: z.number(),
  lastUsedAt: z.number().nullish(),
  revokedAt: z.number().nullish(),
})
const newKeySchema = keySchema.extend({ key: z.string() })

const COLUMNS: readonly Column<z.infer<typeof keySchema>>[] = [
  { title: "id", value: ({ id }) => id },
  { title: "name", value: ({ name }) => name ?? "" },
  { title: "created", value: ({ createdAt }) => formatTime(createdAt) },
  { title: "last used", value: ({ lastUsedAt }) => formatTime(lastUsedAt) },
  { title: "revoked", value: ({ revokedAt }) => formatTime(revokedAt) },
]
const NEW_COLUMNS: readonly Column<z.infer<typeof newKeySchema>>[] = [
  { title: "id", value: ({ id }) => id },
  { title: "name", value: ({ name }) => name ?? "" },
  { title: "key", value: ({ key }) => key },
]

const createOptions = z.object({ name: z.string() })

export function addTeamKeysCommands(program: Command, line: CommandLine): void {
  const keys = program
    .command("team-keys")
    .helpCommand(false)
    .description("keys that manage the team (team key)")

  defineAction(
    line,
    addListOptions(keys.command("list").description("List the team keys, without the keys themselves.")),
    { options: listOptionsSchema, arguments: NO_ARGUMENTS },
    async ({ asTeam, output }, options) => {
      await printList(await asTeam(), output, { path: PATH }, options, keySchema, COLUMNS)
    },
  )

  defineAction(
    line,
    keys
      .command("create")
      .description("Create a team key. It is shown only once.")
      .requiredOption("--name <name>", "display name"),
    { options: createOptions, arguments: NO_ARGUMENTS },
    async ({ asTeam, output }, { name }) => {
      const call = { method: "POST", path: PATH, body: jsonBody({ name }) } as const
      await showSecret(await asTeam(), output, call, newKeySchema, NEW_COLUMNS, ({ key }) => key)
    },
  )

  defineAction(
    line,
    addYesOption(
      keys
        .command("revoke")
        .argument("<id>", "key id")
        .description("Revoke a team key permanently. It stops working within 10 seconds."),
    ),
    { options: yesOptionSchema, arguments: ONE_ARGUMENT },
    async ({ asTeam, output, host }, options, [id]) => {
      await askBefore(host, options, `Revoke the team key ${id} permanently?`)
      const service = await asTeam()
      await service.send({ method: "DELETE", path: [...PATH, id] })
      output.note(`Revoked ${id}.`)
    },
  )
}
