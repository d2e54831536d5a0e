import { createHash } from "node:crypto"
import { type FunctionLogs, listFunctionLogs, type Transport } from "@sealway/sdk/api"
import type { Command } from "commander"
import * as z from "zod"
import { addFollowOption, followNew, MAX_SEEN } from "../service/follow-list.ts"
import { type CommandLine, defineAction, ONE_ARGUMENT } from "../session/define-action.ts"
import { parseTime } from "../terminal/duration.ts"
import { formatJson, formatTime } from "../terminal/format.ts"
import type { CliHost } from "../terminal/host.ts"
import type { Output } from "../terminal/output.ts"

type LogLine = FunctionLogs["data"][number]

const MAX_PAGES = 100
const MAX_LINES_A_PAGE = 1_000
/** How far back each poll looks: lines may be listed some time after they were printed. */
const OVERLAP_MS = 30_000

const logOptions = z.object({
  since: z.string().default("1h"),
  limit: z
    .string()
    .regex(/^[1-9][0-9]{0,4}$/, "--limit must be a whole number from 1 to 99999")
    .default("1000")
    .transform(Number),
  follow: z.boolean().default(false),
})

export function addFunctionLogsCommand(functions: Command, line: CommandLine): void {
  defineAction(
    line,
    addFollowOption(
      functions
        .command("logs")
        .argument("<name>", "name of the function")
        .description("Print a function's logs, oldest first.")
        .option("--since <time>", "how far back, such as 15m, or a date (default: 1h)")
        .option(
          "--limit <number>",
          "maximum number of lines; with --follow, of earlier lines (default: 1000)",
        ),
    ),
    { options: logOptions, arguments: ONE_ARGUMENT },
    async ({ asApp, host, output }, { since, limit, follow }, [name]) => {
      const service = await asApp()
      const sinceMs = parseTime(since, "--since", host.wallClock(), -1)
      if (follow) {
        for await (const each of followLogs(service, host, name, sinceMs, limit)) print(output, each)
      } else {
        const { hasMore } = await readLines(service, name, sinceMs, limit, (each) => print(output, each))
        if (hasMore) output.note("There are more lines. Use --since or --limit to see them.")
      }
    },
  )
}

function print(output: Output, { at, message }: LogLine): void {
  if (output.mode === "json") output.json(formatJson({ at, message }))
  else output.line(output.mode === "quiet" ? message : `${formatTime(at)} ${message}`)
}

/** Shows the lines since a time, oldest first, up to a limit. @returns whether there are more */
async function readLines(
  service: Transport,
  functionName: string,
  sinceMs: number,
  maxLines: number,
  onLine: (line: LogLine) => void,
): Promise<{ hasMore: boolean }> {
  let lines = 0
  let after: string | undefined
  for (let page = 0; page < MAX_PAGES && lines < maxLines; page++) {
    const limit = Math.min(maxLines - lines, MAX_LINES_A_PAGE)
    const page = { since: Math.max(0, sinceMs), limit, after }
    const { data, continueAfter } = await listFunctionLogs(service, { functionName, ...page })
    for (const each of data) onLine(each)
    lines += data.length
    if (continueAfter === null || continueAfter === undefined) return { hasMore: false }
    after = continueAfter
  }
  return { hasMore: true }
}

/** Lines have no ids: a line is identified by its time, its text, and its position among equal ones. */
function followLogs(
  service: Transport,
  host: CliHost,
  functionName: string,
  sinceMs: number,
  maxFirst: number,
) {
  let from = sinceMs
  return followNew(host, maxFirst, async (isKnown) => {
    const alike = new Map<string, number>()
    const found: (LogLine & { id: string })[] = []
    let newest = from
    const { hasMore } = await readLines(service, functionName, from, MAX_SEEN, ({ at, message }) => {
      const text = createHash("sha256").update(`${at} ${message}`).digest("base64")
      const nth = (alike.get(text) ?? 0) + 1
      alike.set(text, nth)
      newest = Math.max(newest, at)
      const id = `${text}${nth}`
      if (!isKnown(id)) found.push({ at, message, id })
    })
    // When there are more lines than one poll reads, continuing is more important than late lines.
    from = hasMore ? newest : Math.max(sinceMs, newest - OVERLAP_MS)
    return found
  })
}
