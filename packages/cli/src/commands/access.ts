import type { Command } from "commander"
import * as z from "zod"
import { addFollowOption, refuseWithFollow } from "../service/follow-list.ts"
import { addListOptions, listOptionsSchema, listPages, parseItem, printList } from "../service/list-pages.ts"
import { printFollowed } from "../service/print-followed.ts"
import { type CommandLine, defineAction, NO_ARGUMENTS } from "../session/define-action.ts"
import { csvLine, csvTitles } from "../terminal/csv.ts"
import { parseTime } from "../terminal/duration.ts"
import { UsageFailure } from "../terminal/failures.ts"
import { formatTime, NOTHING } from "../terminal/format.ts"
import type { Column } from "../terminal/output.ts"

const PATH = ["access-logs"]

const recordSchema = z.object({
  id: z.string(),
  at: z.number(),
  appId: z.string(),
  source: z.string(),
  actor: z.object({ type: z.string(), id: z.string() }),
  apiKeyId: z.string().nullable(),
  relayId: z.string().nullable(),
  functionName: z.string().nullable(),
  // A service of an earlier release knows no enclaves.
  enclave: z.object({ moduleId: z.string(), pcr0: z.string() }).nullish(),
  ip: z.string().nullable(),
  requestId: z.string().nullable(),
  roles: z.record(z.string(), z.number()),
  withoutRole: z.number(),
  total: z.number(),
})

type AccessRecord = z.infer<typeof recordSchema>

const COLUMNS: readonly Column<AccessRecord>[] = [
  { title: "at", value: ({ at }) => formatTime(at) },
  { title: "source", value: ({ source }) => source },
  { title: "by", value: ({ actor }) => actor.id },
  { title: "from", value: ({ ip }) => ip ?? NOTHING },
  {
    title: "through",
    value: ({ relayId, functionName, enclave }) => relayId ?? functionName ?? enclave?.moduleId ?? NOTHING,
  },
  { title: "values", value: ({ total }) => String(total) },
  { title: "roles", value: (record) => rolesOf(record) || NOTHING },
  { title: "id", value: ({ id }) => id },
]

/** Every field of a record, empty if it has none. */
const CSV_COLUMNS: readonly Column<AccessRecord>[] = [
  { title: "id", value: ({ id }) => id },
  { title: "at", value: ({ at }) => new Date(at).toISOString() },
  { title: "appId", value: ({ appId }) => appId },
  { title: "source", value: ({ source }) => source },
  { title: "actorType", value: ({ actor }) => actor.type },
  { title: "actorId", value: ({ actor }) => actor.id },
  { title: "apiKeyId", value: ({ apiKeyId }) => apiKeyId ?? "" },
  { title: "relayId", value: ({ relayId }) => relayId ?? "" },
  { title: "functionName", value: ({ functionName }) => functionName ?? "" },
  { title: "ip", value: ({ ip }) => ip ?? "" },
  { title: "requestId", value: ({ requestId }) => requestId ?? "" },
  { title: "roles", value: (record) => rolesOf(record) },
  { title: "withoutRole", value: ({ withoutRole }) => String(withoutRole) },
  { title: "total", value: ({ total }) => String(total) },
  { title: "enclave", value: ({ enclave }) => enclave?.moduleId ?? "" },
  { title: "pcr0", value: ({ enclave }) => enclave?.pcr0 ?? "" },
]

function rolesOf({ roles }: AccessRecord): string {
  return Object.entries(roles)
    .map(([role, values]) => `${role}=${values}`)
    .join(" ")
}

const listOptions = listOptionsSchema.extend({
  role: z.string().optional(),
  key: z.string().optional(),
  from: z.string().optional(),
  to: z.string().optional(),
  csv: z.boolean().default(false),
  follow: z.boolean().default(false),
})

export function addAccessCommands(program: Command, line: CommandLine): void {
  const access = program
    .command("access")
    .helpCommand(false)
    .description("the app's access log: who decrypted how many values, and when")

  defineAction(
    line,
    addFollowOption(
      addListOptions(access.command("list").description("List successful decryptions, newest first.")),
    )
      .option("--role <slug>", "only values of this data role")
      .option("--key <id>", "only requests of this API key or token, and of tokens that the key issued")
      .option("--from <time>", "only records since a date, or since a time ago such as 24h")
      .option("--to <time>", "only before")
      .option("--csv", "print CSV with a header"),
    { options: listOptions, arguments: NO_ARGUMENTS },
    async ({ asApp, output, host }, options) => {
      const { role, key: keyId, from, to, csv, follow, all, limit, startingAfter } = options
      if (csv && output.mode !== "text")
        throw new UsageFailure("--csv cannot be combined with --json or --quiet.")
      if (follow) {
        refuseWithFollow({ "--all": all, "--from": from, "--to": to, "--starting-after": startingAfter })
      }
      const time = (text: string | undefined, option: string) =>
        text === undefined ? undefined : String(parseTime(text, option, host.wallClock(), -1))
      const query = { role, keyId, from: time(from, "--from"), to: time(to, "--to") }
      const service = await asApp()
      const call = { path: PATH, query }
      if (csv) output.line(csvTitles(CSV_COLUMNS))
      if (follow) {
        const followed = { call, limit, schema: recordSchema, columns: COLUMNS }
        await printFollowed(service, host, output, csv ? { ...followed, lineOf: csvLineOf } : followed)
      } else if (csv) {
        for await (const { items } of listPages(
          service,
          call,
          all ? Number.POSITIVE_INFINITY : limit,
          startingAfter,
        )) {
          for (const item of items) output.line(csvLineOf(parseItem(recordSchema, item)))
        }
      } else await printList(service, output, call, options, recordSchema, COLUMNS)
    },
  )
}

function csvLineOf(record: AccessRecord): string {
  return csvLine(CSV_COLUMNS, record)
}
