import { type ApiKey, createTeamKey, type IssuedApiKey, listTeamKeys, revokeTeamKey } from "@sealway/sdk/api"
import type { Command } from "commander"
import * as z from "zod"
import { showSecret } from "../service/show.ts"
import { addResource } from "../session/add-resource.ts"
import { type CommandLine, defineAction, NO_ARGUMENTS, NO_OPTIONS } from "../session/define-action.ts"
import { formatTime } from "../terminal/format.ts"
import type { Column } from "../terminal/output.ts"

const COLUMNS: readonly Column<ApiKey>[] = [
  { title: "id", value: ({ id }) => id },
  { title: "name", value: ({ name }) => name ?? "" },
  { title: "created", value: ({ createdAt }) => formatTime(createdAt) },
  { title: "last used", value: ({ lastUsedAt }) => formatTime(lastUsedAt) },
  { title: "revoked", value: ({ revokedAt }) => formatTime(revokedAt) },
]
const NEW_COLUMNS: readonly Column<IssuedApiKey>[] = [
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

  addResource(keys, line, {
    as: "team",
    columns: COLUMNS,
    id: ["id", "key id"],
    list: {
      about: "List the team keys, without the keys themselves.",
      filters: NO_OPTIONS,
      call: ({ service, page }) => listTeamKeys(service, page),
    },
    delete: {
      name: "revoke",
      about: "Revoke a team key permanently. It stops working within 10 seconds.",
      question: (id) => `Revoke the team key ${id} permanently?`,
      call: ({ service, args: [keyId] }) => revokeTeamKey(service, { keyId }),
      done: "Revoked",
    },
  })

  defineAction(
    line,
    keys
      .command("create")
      .description("Create a team key. It is shown only once.")
      .requiredOption("--name <name>", "display name"),
    { options: createOptions, arguments: NO_ARGUMENTS },
    async ({ asTeam, output }, { name }) => {
      const created = createTeamKey(await asTeam(), { body: { name } })
      await showSecret(output, created, NEW_COLUMNS, ({ key }) => key)
    },
  )
}
