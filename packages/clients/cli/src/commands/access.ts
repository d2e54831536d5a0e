import { type AccessRecord, listAccessLogs } from "@sealway/sdk/api"
import type { Command } from "commander"
import * as z from "zod"
import { addFollowOption, refuseWithFollow } from "../service/follow-list.ts"
import { printFollowed } from "../service/print-followed.ts"
import {
  addListOptions,
  listOptionsSchema,
  type PageRequest,
  pageRequestOf,
  printList,
} from "../service/print-list.ts"
import { type CommandLine, defineAction, NO_ARGUMENTS } from "../session/define-action.ts"
import { csvLine, csvTitles } from "../terminal/csv.ts"
import { parseTime } from "../terminal/duration.ts"
import { UsageFailure } from "../terminal/failures.ts"
import { formatTime, NOTHING } from "../terminal/format.ts"
import type { Column } from "../terminal/output.ts"

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
  { title: "masked", value: ({ masked }) => (masked === null ? NOTHING : String(masked.total)) },
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
  { title: "reason", value: ({ reason }) => reason ?? "" },
  { title: "masked", value: ({ masked }) => String(masked?.total ?? 0) },
  { title: "maskedRoles", value: ({ masked }) => (masked === null ? "" : rolesOf(masked)) },
]

function rolesOf({ roles }: Pick<AccessRecord, "roles">): string {
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
      const list = (page: Partial<PageRequest>) => listAccessLogs(service, { ...query, ...page })
      if (csv) output.line(csvTitles(CSV_COLUMNS))
      if (follow) {
        const listFrom = (since: number) => listAccessLogs(service, { ...query, from: since, limit: 100 })
        const followed = { list: listFrom, limit, columns: COLUMNS }
        await printFollowed(host, output, csv ? { ...followed, lineOf: csvLineOf } : followed)
      } else if (csv) {
        let left = all ? Number.POSITIVE_INFINITY : limit
        for await (const record of list(pageRequestOf(options))) {
          output.line(csvLineOf(record))
          if (--left === 0) break
        }
      } else await printList(output, options, COLUMNS, list(pageRequestOf(options)))
    },
  )
}

function csvLineOf(record: AccessRecord): string {
  return csvLine(CSV_COLUMNS, record)
}
