import type { Command } from "commander"
import * as z from "zod"
import { readAnswer } from "../service/answers.ts"
import { type CommandLine, defineAction, NO_ARGUMENTS } from "../session/define-action.ts"
import { csvLine, csvTitles } from "../terminal/csv.ts"
import { parseTime } from "../terminal/duration.ts"
import { UsageFailure } from "../terminal/failures.ts"
import { formatTime, NOTHING } from "../terminal/format.ts"
import type { Column } from "../terminal/output.ts"

const latencySchema = z.object({ p50Ms: z.number(), p99Ms: z.number() }).nullable()

const figuresSchema = z.object({
  requests: z.number(),
  encrypted: z.number(),
  decrypted: z.number(),
  refusals: z.number(),
  errors: z.number(),
  relayRequests: z.number(),
  functionRuns: z.number(),
  failedRuns: z.number(),
  latency: z.object({ api: latencySchema, relay: latencySchema, function: latencySchema }),
})

const statsSchema = z.object({
  total: figuresSchema,
  data: z.array(figuresSchema.extend({ at: z.number() })),
  groups: z.array(z.object({ key: z.string(), total: figuresSchema })),
  isComplete: z.boolean(),
})

/** A line of the table: an interval, or a group. */
interface Row {
  readonly name: string
  readonly figures: z.infer<typeof figuresSchema>
}

const latency = (value: z.infer<typeof latencySchema>) =>
  value === null ? NOTHING : `${value.p50Ms}/${value.p99Ms}`

const COLUMNS: readonly Column<Row>[] = [
  { title: "requests", value: ({ figures }) => String(figures.requests) },
  { title: "encrypted", value: ({ figures }) => String(figures.encrypted) },
  { title: "decrypted", value: ({ figures }) => String(figures.decrypted) },
  { title: "refusals", value: ({ figures }) => String(figures.refusals) },
  { title: "errors", value: ({ figures }) => String(figures.errors) },
  { title: "relayed", value: ({ figures }) => String(figures.relayRequests) },
  { title: "runs", value: ({ figures }) => String(figures.functionRuns) },
  { title: "failed", value: ({ figures }) => String(figures.failedRuns) },
  { title: "api ms", value: ({ figures }) => latency(figures.latency.api) },
  { title: "relay ms", value: ({ figures }) => latency(figures.latency.relay) },
  { title: "function ms", value: ({ figures }) => latency(figures.latency.function) },
]

const optionsSchema = z.object({
  interval: z.enum(["minute", "hour", "day"]).default("hour"),
  by: z.enum(["role", "relay", "function", "endpoint", "code"]).optional(),
  from: z.string().optional(),
  to: z.string().optional(),
  csv: z.boolean().default(false),
})

export function addStatsCommand(program: Command, line: CommandLine): void {
  defineAction(
    line,
    program
      .command("stats")
      .description("the app's figures by time: values, requests, refusals, latencies")
      .option("--interval <interval>", "minute, hour (default) or day")
      .option(
        "--by <dimension>",
        "the largest of role, relay, function, endpoint or code, instead of intervals",
      )
      .option("--from <time>", "since a date, or since a time ago such as 24h")
      .option("--to <time>", "before")
      .option("--csv", "print CSV with a header"),
    { options: optionsSchema, arguments: NO_ARGUMENTS },
    async ({ asApp, output, host }, { interval, by, from, to, csv }) => {
      if (csv && output.mode !== "text")
        throw new UsageFailure("--csv cannot be combined with --json or --quiet.")
      const time = (text: string | undefined, option: string) =>
        text === undefined ? undefined : String(parseTime(text, option, host.wallClock(), -1))
      const query = { interval, by, from: time(from, "--from"), to: time(to, "--to") }
      const service = await asApp()
      const response = await service.send({ method: "GET", path: ["stats"], query })
      const { text, value } = await readAnswer(response, statsSchema)
      if (output.mode === "json") {
        output.json(text)
        return undefined
      }
      const { total, data, groups, isComplete } = value
      const rows: readonly Row[] =
        by === undefined
          ? data.map(({ at, ...figures }) => ({ name: formatTime(at), figures }))
          : groups.map(({ key, total: figures }) => ({ name: key === "" ? NOTHING : key, figures }))
      const columns = [{ title: by ?? "at", value: ({ name }: Row) => name }, ...COLUMNS]
      if (csv) {
        output.line(csvTitles(columns))
        for (const row of rows) output.line(csvLine(columns, row))
      } else {
        output.rows(columns, rows)
        output.hint(
          `In all ${total.requests} requests, ${total.encrypted} values encrypted and ${total.decrypted} decrypted, ${total.refusals} refusals.`,
        )
      }
      if (!isComplete) output.note("These are not all groups or figures. Choose a shorter range.")
      return undefined
    },
  )
}
