import { createReadStream } from "node:fs"
import { lstat } from "node:fs/promises"
import { basename, resolve } from "node:path"
import {
  createHoneyToken,
  deleteHoneyToken,
  getHoneyToken,
  type HoneyToken,
  type HoneyTouch,
  listHoneyTokens,
  listHoneyTouches,
} from "@sealway/sdk/api"
import { type Command, Option } from "commander"
import * as z from "zod"
import { UnreadableTableError } from "../bulk/table-row.ts"
import { reasonOf } from "../files/read-input.ts"
import { writeResultFile } from "../files/write-result.ts"
import { sowRows } from "../honey/sow-rows.ts"
import { addListOptions, listOptionsSchema, pageRequestOf, printList } from "../service/print-list.ts"
import { showRecord } from "../service/show.ts"
import { addResource } from "../session/add-resource.ts"
import { type CommandLine, defineAction, NO_OPTIONS, ONE_ARGUMENT } from "../session/define-action.ts"
import { UsageFailure } from "../terminal/failures.ts"
import { formatJson, formatTime } from "../terminal/format.ts"
import type { CliHost } from "../terminal/host.ts"
import type { Column } from "../terminal/output.ts"

const SHAPES = ["card-number", "email", "string", "number"] as const
const ALERT_TYPES = ["webhook", "chat"] as const
const MAX_ROWS = 100
const DEFAULT_ROWS = 10
const MAX_NAME = 100

const timeOrNever = (timeMs: number | null) => (timeMs === null ? "never" : formatTime(timeMs))

const COLUMNS: readonly Column<HoneyToken>[] = [
  { title: "id", value: ({ id }) => id },
  { title: "name", value: ({ name }) => name },
  { title: "role", value: ({ role }) => role ?? "" },
  { title: "created", value: ({ createdAt }) => formatTime(createdAt) },
  { title: "touched", value: ({ lastTouchedAt }) => timeOrNever(lastTouchedAt) },
  { title: "token", value: ({ token }) => token },
]

const TOUCH_COLUMNS: readonly Column<HoneyTouch>[] = [
  { title: "last", value: ({ lastAt }) => formatTime(lastAt) },
  { title: "count", value: ({ count }) => String(count) },
  { title: "who", value: ({ actor }) => `${actor.type} ${actor.id}` },
  {
    title: "where",
    value: ({ way }) =>
      Object.entries(way)
        .map(([name, value]) => `${name}=${value}`)
        .join(" "),
  },
  { title: "addresses", value: ({ ips }) => ips.join(" ") },
  { title: "requests", value: ({ requestIds }) => requestIds.join(" ") },
]

const createOptions = z.object({
  value: z.string().optional(),
  shape: z.enum(SHAPES).optional(),
  like: z.string().optional(),
  role: z.string().optional(),
  alertUrl: z.string().optional(),
  alertType: z.enum(ALERT_TYPES).default("webhook"),
})

const sowOptions = z.object({
  output: z.string({ error: "Pass -o with the name of the new file" }),
  column: z.array(z.string(), { error: "Pass --column with the name of each column of encrypted values" }),
  empty: z.array(z.string()).default([]),
  rows: z
    .string()
    .regex(/^[1-9][0-9]{0,2}$/, `--rows must be a whole number from 1 to ${MAX_ROWS}`)
    .default(String(DEFAULT_ROWS))
    .transform(Number)
    .refine((rows) => rows <= MAX_ROWS, `--rows must be a whole number from 1 to ${MAX_ROWS}`),
  delimiter: z
    .string()
    .regex(/^[\t\x20\x21\x23-\x7e]$/, "--delimiter must be one ASCII character, but not a quote")
    .default(","),
})

const collect = (value: string, before: readonly string[] = []) => [...before, value]

export function addHoneyCommands(program: Command, line: CommandLine): void {
  const honey = program
    .command("honey")
    .helpCommand(false)
    .description("honey tokens: nobody may decrypt them, and each attempt is reported")

  defineAction(
    line,
    honey
      .command("create")
      .argument("<name>", "what alerts call it, such as where you put it")
      .description("Create a honey token, which looks like any other token.")
      .option("--value <text>", "text to seal")
      .addOption(new Option("--shape <shape>", "make up a value that looks like this").choices(SHAPES))
      .option("--like <token>", "make up a value like this one, as if encrypted together: type, role, length")
      .option("-r, --role <slug>", "data role to seal into it; not with --like")
      .option("--alert-url <address>", "https URL to post touches to, besides the event")
      .addOption(
        new Option(
          "--alert-type <type>",
          "webhook: the event's data; chat: a text (default: webhook)",
        ).choices(ALERT_TYPES),
      ),
    { options: createOptions, arguments: ONE_ARGUMENT },
    async ({ asApp, output }, { value, shape, like, role, alertUrl, alertType }, [name]) => {
      if ([value, shape, like].filter((each) => each !== undefined).length !== 1) {
        throw new UsageFailure("Pass one of --value, --shape and --like.")
      }
      const alert = alertUrl === undefined ? undefined : { type: alertType, url: alertUrl }
      const body = { name, value, shape, like, role, alert }
      await showRecord(output, createHoneyToken(await asApp(), { body }), COLUMNS)
    },
  )

  addResource(honey, line, {
    columns: COLUMNS,
    id: ["id", "honey token"],
    list: {
      about: "List the app's honey tokens, and when they were touched.",
      filters: NO_OPTIONS,
      call: ({ service, page }) => listHoneyTokens(service, page),
    },
    records: {
      get: {
        about: "Show a honey token.",
        call: ({ service, args: [honeyTokenId] }) => getHoneyToken(service, { honeyTokenId }),
      },
    },
    delete: {
      about: "Delete a honey token. It still cannot be decrypted, but raises no event any more.",
      question: (id) => `Delete the honey token ${id}?`,
      call: ({ service, args: [honeyTokenId] }) => deleteHoneyToken(service, { honeyTokenId }),
    },
  })

  defineAction(
    line,
    addListOptions(
      honey
        .command("touches")
        .argument("<id>", "honey token")
        .description("List who tried to decrypt a honey token, where and when."),
    ),
    { options: listOptionsSchema, arguments: ONE_ARGUMENT },
    async ({ asApp, output }, options, [id]) => {
      const list = listHoneyTouches(await asApp(), { honeyTokenId: id, ...pageRequestOf(options) })
      await printList(output, options, TOUCH_COLUMNS, list)
    },
  )

  defineAction(
    line,
    honey
      .command("sow")
      .argument("<file>", "CSV file with a header and encrypted values")
      .description(
        "Write a table with made-up rows in it, whose encrypted values are honey tokens and whose other values look like their neighbours'.",
      )
      .option("-o, --output <file>", "the new file, which must not exist")
      .option("--column <name>", "column of encrypted values; name each of them", collect)
      .option("--empty <name>", "column that stays empty, such as an id that the database assigns", collect)
      .option("--rows <number>", `how many rows to make up, up to ${MAX_ROWS} (default: ${DEFAULT_ROWS})`)
      .option("--delimiter <character>", "character between columns (default: a comma)"),
    { options: sowOptions, arguments: ONE_ARGUMENT },
    async ({ asApp, output, host }, options, [file]) => {
      const { column: columns, empty, rows, delimiter } = options
      await requireNewFile(host, options.output)
      const service = await asApp()
      const created: { id: string; column: string }[] = []
      const createHoney = async (column: string, like: string) => {
        const name = `${basename(file)}: ${column}`.replace(/\p{Cc}/gu, " ").slice(0, MAX_NAME)
        const { id, token } = await createHoneyToken(service, { body: { name, like } })
        created.push({ id, column })
        output.progress(`${created.length} of ${rows * columns.length} honey tokens`)
        return token
      }
      const sown = await readable(file, () =>
        sowRows(chunksOf(host, file), { columns, empty, rows, delimiter }, createHoney),
      )
      await writeResultFile(host, options.output, sown.write(chunksOf(host, file)))
      if (output.mode === "json") output.json(formatJson(created))
      else for (const { id } of created) output.line(id)
      output.note(`Wrote ${options.output}: ${rows} made-up rows with ${created.length} honey tokens.`)
    },
  )
}

/** Tables are large, and the new one must never take the place of one that somebody needs. */
async function requireNewFile({ folder }: CliHost, file: string): Promise<void> {
  const found = await lstat(resolve(folder, file)).catch(() => null)
  if (found !== null) throw new UsageFailure(`${file} exists already. Name a new file with -o.`)
}

async function* chunksOf({ folder }: CliHost, file: string): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of createReadStream(resolve(folder, file))) yield Buffer.from(chunk)
  } catch (error) {
    throw new UsageFailure(`${file} cannot be read${reasonOf(error)}.`, { cause: error })
  }
}

async function readable<Result>(file: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof UnreadableTableError)) throw error
    throw new UsageFailure(`${file} cannot be read: ${error.message}`, { cause: error })
  }
}
