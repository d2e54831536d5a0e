import { createReadStream } from "node:fs"
import { lstat } from "node:fs/promises"
import { basename, resolve } from "node:path"
import { type Command, Option } from "commander"
import * as z from "zod"
import { UnreadableTableError } from "../bulk/table-row.ts"
import { reasonOf } from "../files/read-input.ts"
import { writeResultFile } from "../files/write-result.ts"
import { sowRows } from "../honey/sow-rows.ts"
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
import { formatJson, formatTime } from "../terminal/format.ts"
import type { CliHost } from "../terminal/host.ts"
import type { Column } from "../terminal/output.ts"

const PATH = ["honey-tokens"]
const SHAPES = ["card-number", "email", "string", "number"]
const ALERT_TYPES = ["webhook", "chat"]
const MAX_ROWS = 100
const DEFAULT_ROWS = 10
const MAX_NAME = 100

const honeyTokenSchema = z.object({
  id: z.string(),
  name: z.string(),
  role: z.string().nullable(),
  token: z.string(),
  createdAt: z.number(),
  lastTouchedAt: z.number().nullable(),
})

const touchSchema = z.object({
  id: z.string(),
  actor: z.object({ type: z.string(), id: z.string() }),
  way: z.record(z.string(), z.string()),
  count: z.number(),
  firstAt: z.number(),
  lastAt: z.number(),
  ips: z.array(z.string()),
  requestIds: z.array(z.string()),
})

const timeOrNever = (timeMs: number | null) => (timeMs === null ? "never" : formatTime(timeMs))

const COLUMNS: readonly Column<z.infer<typeof honeyTokenSchema>>[] = [
  { title: "id", value: ({ id }) => id },
  { title: "name", value: ({ name }) => name },
  { title: "role", value: ({ role }) => role ?? "" },
  { title: "created", value: ({ createdAt }) => formatTime(createdAt) },
  { title: "touched", value: ({ lastTouchedAt }) => timeOrNever(lastTouchedAt) },
  { title: "token", value: ({ token }) => token },
]

const TOUCH_COLUMNS: readonly Column<z.infer<typeof touchSchema>>[] = [
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
  shape: z.string().optional(),
  like: z.string().optional(),
  role: z.string().optional(),
  alertUrl: z.string().optional(),
  alertType: z.string().default("webhook"),
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
      const body = jsonBody({ name, value, shape, like, role, alert })
      await showAnswer(await asApp(), output, { method: "POST", path: PATH, body }, honeyTokenSchema, COLUMNS)
    },
  )

  defineAction(
    line,
    addListOptions(
      honey.command("list").description("List the app's honey tokens, and when they were touched."),
    ),
    { options: listOptionsSchema, arguments: NO_ARGUMENTS },
    async ({ asApp, output }, options) => {
      await printList(await asApp(), output, { path: PATH }, options, honeyTokenSchema, COLUMNS)
    },
  )

  defineAction(
    line,
    honey.command("get").argument("<id>", "honey token").description("Show a honey token."),
    { options: NO_OPTIONS, arguments: ONE_ARGUMENT },
    async ({ asApp, output }, _options, [id]) => {
      const call = { method: "GET", path: [...PATH, id] } as const
      await showAnswer(await asApp(), output, call, honeyTokenSchema, COLUMNS)
    },
  )

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
      const call = { path: [...PATH, id, "touches"] }
      await printList(await asApp(), output, call, options, touchSchema, TOUCH_COLUMNS)
    },
  )

  defineAction(
    line,
    addYesOption(
      honey
        .command("delete")
        .argument("<id>", "honey token")
        .description("Delete a honey token. It still cannot be decrypted, but raises no event any more."),
    ),
    { options: yesOptionSchema, arguments: ONE_ARGUMENT },
    async ({ asApp, output, host }, options, [id]) => {
      await askBefore(host, options, `Delete the honey token ${id}?`)
      await (await asApp()).send({ method: "DELETE", path: [...PATH, id] })
      output.note(`Deleted ${id}.`)
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
        const call = { method: "POST", path: PATH, body: jsonBody({ name, like }) } as const
        const { value } = await readAnswer(await service.send(call), honeyTokenSchema)
        created.push({ id: value.id, column })
        output.progress(`${created.length} of ${rows * columns.length} honey tokens`)
        return value.token
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
