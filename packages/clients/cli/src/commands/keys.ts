import { SCOPES } from "@sealway/accounts/scopes"
import {
  type ApiKey,
  createApiKey,
  type IssuedApiKey,
  listApiKeys,
  narrowApiKey,
  revokeApiKey,
  rotateApiKey,
} from "@sealway/sdk/api"
import type { Command } from "commander"
import * as z from "zod"
import { jsonOf } from "../service/json-of.ts"
import { showRecord, showSecret } from "../service/show.ts"
import { addResource } from "../session/add-resource.ts"
import {
  type CommandLine,
  defineAction,
  NO_ARGUMENTS,
  NO_OPTIONS,
  ONE_ARGUMENT,
} from "../session/define-action.ts"
import { askBefore, yesOptionSchema } from "../terminal/ask-before.ts"
import { parseDurationMs, parseTime } from "../terminal/duration.ts"
import { UsageFailure } from "../terminal/failures.ts"
import { formatList, formatTime } from "../terminal/format.ts"
import type { Column } from "../terminal/output.ts"
import { addLimitOptions, formatLimits, limitOptionsSchema, limitsIn } from "./limit-options.ts"

const COLUMNS: readonly Column<ApiKey>[] = [
  { title: "id", value: ({ id }) => id },
  { title: "name", value: ({ name }) => name },
  { title: "scopes", value: ({ scopes }) => formatList(scopes) },
  { title: "created", value: ({ createdAt }) => formatTime(createdAt) },
  { title: "last used", value: ({ lastUsedAt }) => formatTime(lastUsedAt) },
  { title: "expires", value: ({ expiresAt }) => formatTime(expiresAt) },
  { title: "revoked", value: ({ revokedAt }) => formatTime(revokedAt) },
]
/** Further columns for a single key. */
const DETAILS: typeof COLUMNS = [...COLUMNS, { title: "limits", value: ({ limits }) => formatLimits(limits) }]
const NEW_COLUMNS: readonly Column<IssuedApiKey>[] = [
  { title: "id", value: ({ id }) => id },
  { title: "name", value: ({ name }) => name },
  { title: "key", value: ({ key }) => key },
  { title: "scopes", value: ({ scopes }) => formatList(scopes) },
  { title: "expires", value: ({ expiresAt }) => formatTime(expiresAt) },
]

const createOptions = z.object({
  name: z.string(),
  scope: z.array(z.string()).default([]),
  expires: z.string().optional(),
  ...limitOptionsSchema.shape,
})
const narrowOptions = z
  .object({ scope: z.array(z.string()).optional(), none: z.boolean().default(false) })
  .refine(
    ({ scope, none }) => (scope !== undefined) !== none,
    "Pass either --scope with the scopes to keep, or --none",
  )
const SCOPES_HELP = `\nScopes:\n${SCOPES.map((scope) => `  ${scope}`).join("\n")}`
const rotateOptions = z.object({ overlap: z.string().optional(), ...yesOptionSchema.shape })

export function addKeysCommands(program: Command, line: CommandLine): void {
  const keys = program
    .command("keys")
    .helpCommand(false)
    .description("API keys of the app in --app (team key)")

  addResource(keys, line, {
    as: "team",
    columns: COLUMNS,
    id: ["id", "key id"],
    list: {
      about: "List the app's API keys, without the keys themselves.",
      filters: NO_OPTIONS,
      call: async ({ service, page, session }) =>
        listApiKeys(service, { appId: await session.app(), ...page }),
    },
  })

  defineAction(
    line,
    addLimitOptions(keys.command("create").description("Create an API key. It is shown only once."))
      .requiredOption("--name <name>", "display name")
      .option("--scope <scope...>", 'scopes besides encrypting, such as api:decrypt; "*" for all')
      .addHelpText("after", SCOPES_HELP)
      .option("--expires <time>", "expiry: a date, or a time from now such as 90d"),
    { options: createOptions, arguments: NO_ARGUMENTS },
    async ({ app, asTeam, output, host }, { name, scope: scopes, expires, ...limits }) => {
      const expiresAt =
        expires === undefined ? undefined : parseTime(expires, "--expires", host.wallClock(), 1)
      const body = jsonOf({ name, scopes, expiresAt, limits: limitsIn(limits) })
      const created = createApiKey(await asTeam(), { appId: await app(), body })
      await showSecret(output, created, NEW_COLUMNS, ({ key }) => key)
      if (scopes.length === 0) {
        output.note("Without --scope, the key can only encrypt and read public keys.")
      }
    },
  )

  defineAction(
    line,
    keys
      .command("narrow")
      .argument("<id>", "key id")
      .description("Remove scopes from a key permanently. Inherited scopes that you list count as chosen.")
      .addHelpText("after", SCOPES_HELP)
      .option("--scope <scope...>", "the scopes to keep")
      .option("--none", "keep no scope: the key can only encrypt and read public keys"),
    { options: narrowOptions, arguments: ONE_ARGUMENT },
    async ({ app, asTeam, output }, { scope: scopes = [] }, [keyId]) => {
      const narrowed = narrowApiKey(await asTeam(), { appId: await app(), keyId, body: jsonOf({ scopes }) })
      await showRecord(output, narrowed, COLUMNS)
    },
  )

  defineAction(
    line,
    addLimitOptions(
      keys
        .command("update")
        .argument("<id>", "key id")
        .description("Set the limits of a key. They apply everywhere within 10 seconds."),
    ),
    { options: limitOptionsSchema, arguments: ONE_ARGUMENT },
    async ({ app, asTeam, output }, options, [keyId]) => {
      const limits = limitsIn(options)
      if (limits === undefined) throw new UsageFailure("Nothing to change. Pass at least one option.")
      const limited = narrowApiKey(await asTeam(), { appId: await app(), keyId, body: { limits } })
      await showRecord(output, limited, DETAILS)
    },
  )

  defineAction(
    line,
    keys
      .command("rotate")
      .argument("<id>", "key id")
      .description(
        "Replace a key with a new one. The old key stops working at once or after the overlap. The new key is shown only once.",
      )
      .option("--overlap <time>", "how long the old key still works, such as 24h")
      .option("-y, --yes", "do not ask for confirmation before revoking the old key at once"),
    { options: rotateOptions, arguments: ONE_ARGUMENT },
    async ({ app, asTeam, output, host }, { overlap, yes }, [id]) => {
      const overlapSeconds = overlap === undefined ? undefined : parseDurationMs(overlap, "--overlap") / 1000
      if (!overlapSeconds) await askBefore(host, { yes }, `Revoke the key ${id} at once?`)
      const input = { appId: await app(), keyId: id, body: { overlapSeconds } }
      await showSecret(output, rotateApiKey(await asTeam(), input), NEW_COLUMNS, ({ key }) => key)
    },
  )

  addResource(keys, line, {
    as: "team",
    columns: COLUMNS,
    id: ["id", "key id"],
    delete: {
      name: "revoke",
      about: "Revoke a key permanently. It stops working within 10 seconds.",
      question: (id) => `Revoke the key ${id} permanently?`,
      call: async ({ service, args: [keyId], session }) =>
        revokeApiKey(service, { appId: await session.app(), keyId }),
      done: "Revoked",
    },
  })
}
