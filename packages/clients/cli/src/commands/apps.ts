import {
  type App,
  createApp,
  getApp,
  type ListedKeyVersion,
  listApps,
  listKeyVersions,
  rotateKeys,
  updateApp,
} from "@sealway/sdk/api"
import { type Command, Option } from "commander"
import * as z from "zod"
import { show, showRecord } from "../service/show.ts"
import { addResource } from "../session/add-resource.ts"
import {
  type CommandLine,
  defineAction,
  NO_ARGUMENTS,
  NO_OPTIONS,
  ONE_ARGUMENT,
} from "../session/define-action.ts"
import { addYesOption, askBefore, yesOptionSchema } from "../terminal/ask-before.ts"
import { UsageFailure } from "../terminal/failures.ts"
import { formatJson, formatTime } from "../terminal/format.ts"
import type { Column } from "../terminal/output.ts"
import { addLimitOptions, formatLimits, limitOptionsSchema, limitsIn } from "./limit-options.ts"

const COLUMNS: readonly Column<App>[] = [
  { title: "id", value: ({ id }) => id },
  { title: "name", value: ({ name }) => name },
  { title: "environment", value: ({ environment }) => environment },
  { title: "status", value: ({ status }) => status },
  { title: "created", value: ({ createdAt }) => formatTime(createdAt) },
]

/** Further columns for a single app. */
const DETAILS: typeof COLUMNS = [
  ...COLUMNS,
  { title: "origins", value: ({ allowedOrigins }) => allowedOrigins.join(" ") },
  { title: "card insights", value: ({ cardInsights }) => (cardInsights ? "on" : "off") },
  { title: "sealing", value: ({ sealing }) => sealing },
  { title: "custody", value: ({ custody }) => custody },
  { title: "limits", value: ({ limits }) => formatLimits(limits) },
]

const SYMMETRIC_QUESTION =
  "Processes that encrypt for the app will hold a key that also decrypts the values that they encrypt. Encrypt symmetrically from now on?"

const HSM_QUESTION =
  "The app will get a key version whose private key stays in KMS: each key costs money every month, each value of a new ephemeral key a call, and clients must encrypt on P-256. Keep its keys in KMS from now on?"

const custodySchema = z.enum(["envelope", "hsm"], "--custody must be envelope or hsm").optional()

const versionOf = ({ version }: Pick<ListedKeyVersion, "version">) => String(version)

const VERSION_COLUMNS: readonly Column<ListedKeyVersion>[] = [
  { title: "version", value: versionOf },
  { title: "custody", value: ({ custody }) => custody },
  { title: "created", value: ({ createdAt }) => formatTime(createdAt) },
]

const updateOptions = z.object({
  name: z.string().optional(),
  disable: z.boolean().default(false),
  enable: z.boolean().default(false),
  ...yesOptionSchema.shape,
  origin: z.array(z.string()).optional(),
  origins: z.boolean().default(true),
  cardInsights: z.enum(["on", "off"], "--card-insights must be on or off").optional(),
  sealing: z.enum(["public-key", "symmetric"], "--sealing must be public-key or symmetric").optional(),
  custody: custodySchema,
  erasureDays: z
    .string()
    .regex(/^(?:[0-9]|[12][0-9]|30)$/, "--erasure-days must be a whole number from 0 to 30")
    .transform(Number)
    .optional(),
  ...limitOptionsSchema.shape,
})
const createOptions = z.object({
  name: z.string(),
  production: z.boolean().default(false),
  custody: custodySchema,
})

export function addAppsCommands(program: Command, line: CommandLine): void {
  const apps = program
    .command("apps")
    .helpCommand(false)
    .description("the team's apps and their encryption keys (team key)")

  addResource(apps, line, {
    as: "team",
    columns: DETAILS,
    id: ["id", "app id"],
    list: {
      about: "List the team's apps.",
      columns: COLUMNS,
      filters: NO_OPTIONS,
      call: ({ service, page }) => listApps(service, page),
    },
    records: {
      get: { about: "Show an app.", call: ({ service, args: [appId] }) => getApp(service, { appId }) },
    },
  })

  defineAction(
    line,
    apps
      .command("create")
      .description("Create an app. It has no API key yet: `keys create --app <id>` creates one.")
      .requiredOption("--name <name>", "display name")
      .option("--production", "a production app, for real data (default: a sandbox app)")
      .option("--custody <envelope|hsm>", "where its private keys are (default: envelope)"),
    { options: createOptions, arguments: NO_ARGUMENTS },
    async ({ asTeam, output }, { name, production, custody }) => {
      const body = { name, environment: production ? "production" : "sandbox", custody } as const
      await showRecord(output, createApp(await asTeam(), { body }), DETAILS)
    },
  )

  defineAction(
    line,
    addLimitOptions(
      apps
        .command("update")
        .argument("<id>", "app id")
        .description("Rename an app, disable or enable it, or change its settings."),
    )
      .option("--name <name>", "display name")
      .option("-y, --yes", "do not ask for confirmation before disabling, or changing to symmetric or hsm")
      .option("--disable", "refuse its credentials, everywhere within 10 seconds")
      .addOption(new Option("--enable", "accept its credentials again").conflicts("disable"))
      .option(
        "--origin <origin...>",
        "all origins whose pages may call what it serves to browsers, such as https://shop.example.com",
      )
      .option("--card-insights <on|off>", "whether a production app may request card insights")
      .option("--sealing <public-key|symmetric>", "how the service encrypts its new values")
      .option("--custody <envelope|hsm>", "where the private keys of its new key versions are; adds one")
      .option(
        "--erasure-days <number>",
        "for how many days the erasure of a data subject can be undone: 0 to 30",
      )
      .addOption(new Option("--no-origins", "allow no origins").conflicts("origin")),
    { options: updateOptions, arguments: ONE_ARGUMENT },
    async ({ asTeam, output, host }, options, [id]) => {
      const { name, disable, enable, origin, origins, cardInsights, sealing, custody, erasureDays } = options
      const status = disable ? ("disabled" as const) : enable ? ("enabled" as const) : undefined
      const changes = {
        name,
        status,
        allowedOrigins: origins ? origin : [],
        cardInsights: cardInsights && cardInsights === "on",
        sealing,
        custody,
        erasureDays,
        limits: limitsIn(options),
      }
      if (Object.values(changes).every((change) => change === undefined)) {
        throw new UsageFailure("Nothing to change. Pass at least one option.")
      }
      if (disable) await askBefore(host, options, `Disable the app ${id}?`)
      if (sealing === "symmetric") await askBefore(host, options, SYMMETRIC_QUESTION)
      if (custody === "hsm") await askBefore(host, options, HSM_QUESTION)
      await showRecord(output, updateApp(await asTeam(), { appId: id, body: changes }), DETAILS)
    },
  )

  defineAction(
    line,
    apps
      .command("key-versions")
      .argument("<id>", "app id")
      .description("List the key versions of an app. The newest one encrypts new values."),
    { options: NO_OPTIONS, arguments: ONE_ARGUMENT },
    async ({ asTeam, output }, _options, [appId]) => {
      const versions = await listKeyVersions(await asTeam(), { appId })
      if (output.mode === "json") output.json(formatJson(versions))
      else if (output.mode === "quiet") for (const { version } of versions.data) output.line(String(version))
      else output.rows(VERSION_COLUMNS, versions.data)
    },
  )

  defineAction(
    line,
    addYesOption(
      apps
        .command("rotate-keys")
        .argument("<id>", "app id")
        .description("Add a key version: it encrypts new values, and older values can still be decrypted."),
    ),
    { options: yesOptionSchema, arguments: ONE_ARGUMENT },
    async ({ asTeam, output, host }, options, [id]) => {
      await askBefore(host, options, `Add a key version to ${id}? It will encrypt all new values.`)
      const rotated = rotateKeys(await asTeam(), { appId: id })
      await show(output, rotated, [{ title: "version", value: versionOf }], versionOf)
    },
  )
}
