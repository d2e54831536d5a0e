import { type Figures, getStats, type Latency } from "@sealway/sdk/api"
import type { Command } from "commander"
import * as z from "zod"
import { type CommandLine, defineAction, NO_ARGUMENTS } from "../session/define-action.ts"
import { csvLine, csvTitles } from "../terminal/csv.ts"
import { parseTime } from "../terminal/duration.ts"
import { UsageFailure } from "../terminal/failures.ts"
import { formatJson, formatTime, NOTHING } from "../terminal/format.ts"
import type { Column } from "../terminal/output.ts"

/** A line of the table: an interval, or a group. */
interface Row {
  readonly name: string
  readonly figures: Figures
}

const latency = (value: Latency | null) => (value === null ? NOTHING : `${value.p50Ms}/${value.p99Ms}`)

const COLUMNS: readonly Column<Row>[] = [
  { title: "requests", value: ({ figures }) => String(figures.requests) },
  { title: "encrypted", value: ({ figures }) => String(figures.encrypted) },
  { title: "decrypted", value: ({ figures }) => String(figures.decrypted) },
  { title: "masked", value: ({ figures }) => String(figures.masked) },
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
      const stats = await getStats(await asApp(), query)
      if (output.mode === "json") {
        output.json(formatJson(stats))
        return undefined
      }
      const { total, data, groups, isComplete } = stats
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
