import { SCOPES } from "@sealway/platform/scopes"
import type { Command } from "commander"
import * as z from "zod"
import { jsonBody } from "../service/json-body.ts"
import { addListOptions, listOptionsSchema, printList } from "../service/list-pages.ts"
import { showAnswer, showSecret } from "../service/show-answer.ts"
import { type CommandLine, defineAction, NO_ARGUMENTS, ONE_ARGUMENT } from "../session/define-action.ts"
import { addYesOption, askBefore, yesOptionSchema } from "../terminal/ask-before.ts"
import { parseDurationMs, parseTime } from "../terminal/duration.ts"
import { UsageFailure } from "../terminal/failures.ts"
import { formatList, formatTime } from "../terminal/format.ts"
import type { Column } from "../terminal/output.ts"
import { addLimitOptions, formatLimits, limitOptionsSchema, limitsIn, limitsSchema } from "./limit-options.ts"

const keySchema = z.object({
  id: z.string(),
  name: z.string().nullish(),
  scopes: z.array(z.string()),
  inheritedScopes: z.array(z.string()).default([]),
  limits: limitsSchema,
  createdAt: z.number(),
  lastUsedAt: z.number().nullish(),
  expiresAt: z.number().nullish(),
  revokedAt: z.number().nullish(),
})
const newKeySchema = keySchema.extend({ key: z.string() })

/** Marks inherited scopes. */
function showScopes({ scopes, inheritedScopes }: z.infer<typeof keySchema>): string {
  return formatList(scopes.map((scope) => (inheritedScopes.includes(scope) ? `${scope} (inherited)` : scope)))
}

const COLUMNS: readonly Column<z.infer<typeof keySchema>>[] = [
  { title: "id", value: ({ id }) => id },
  { title: "name", value: ({ name }) => name ?? "" },
  { title: "scopes", value: showScopes },
  { title: "created", value: ({ createdAt }) => formatTime(createdAt) },
  { title: "last used", value: ({ lastUsedAt }) => formatTime(lastUsedAt) },
  { title: "expires", value: ({ expiresAt }) => formatTime(expiresAt) },
  { title: "revoked", value: ({ revokedAt }) => formatTime(revokedAt) },
]
/** Further columns for a single key. */
const DETAILS: typeof COLUMNS = [...COLUMNS, { title: "limits", value: ({ limits }) => formatLimits(limits) }]
const NEW_COLUMNS: readonly Column<z.infer<typeof newKeySchema>>[] = [
  { title: "id", value: ({ id }) => id },
  { title: "name", value: ({ name }) => name ?? "" },
  { title: "key", value: ({ key }) => key },
  { title: "scopes", value: showScopes },
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

  defineAction(
    line,
    addListOptions(
      keys
        .command("list")
        .description(
          "List the app's API keys, without the keys themselves. A scope marked (inherited) was granted automatically: the key is older than the scope.",
        ),
    ),
    { options: listOptionsSchema, arguments: NO_ARGUMENTS },
    async ({ app, asTeam, output }, options) => {
      const path = ["apps", await app(), "api-keys"]
      await printList(await asTeam(), output, { path }, options, keySchema, COLUMNS)
    },
  )

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
      const path = ["apps", await app(), "api-keys"]
      const body = jsonBody({ name, scopes, expiresAt, limits: limitsIn(limits) })
      const call = { method: "POST", path, body } as const
      await showSecret(await asTeam(), output, call, newKeySchema, NEW_COLUMNS, ({ key }) => key)
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
    async ({ app, asTeam, output }, { scope: scopes = [] }, [id]) => {
      const path = ["apps", await app(), "api-keys", id]
      const call = { method: "PATCH", path, body: jsonBody({ scopes }) } as const
      await showAnswer(await asTeam(), output, call, keySchema, COLUMNS)
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
    async ({ app, asTeam, output }, options, [id]) => {
      const limits = limitsIn(options)
      if (limits === undefined) throw new UsageFailure("Nothing to change. Pass at least one option.")
      const path = ["apps", await app(), "api-keys", id]
      const call = { method: "PATCH", path, body: jsonBody({ limits }) } as const
      await showAnswer(await asTeam(), output, call, keySchema, DETAILS)
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
      const path = ["apps", await app(), "api-keys", id, "rotate"]
      const call = { method: "POST", path, body: jsonBody({ overlapSeconds }) } as const
      await showSecret(await asTeam(), output, call, newKeySchema, NEW_COLUMNS, ({ key }) => key)
    },
  )

  defineAction(
    line,
    addYesOption(
      keys
        .command("revoke")
        .argument("<id>", "key id")
        .description("Revoke a key permanently. It stops working within 10 seconds."),
    ),
    { options: yesOptionSchema, arguments: ONE_ARGUMENT },
    async ({ app, asTeam, output, host }, options, [id]) => {
      await askBefore(host, options, `Revoke the key ${id} permanently?`)
      const service = await asTeam()
      await service.send({ method: "DELETE", path: ["apps", await app(), "api-keys", id] })
      output.note(`Revoked ${id}.`)
    },
  )
}
