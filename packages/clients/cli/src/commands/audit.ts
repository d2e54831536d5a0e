import { resolve } from "node:path"
import { type AuditRecord, listAuditLogs } from "@sealway/sdk/api"
import type { Command } from "commander"
import * as z from "zod"
import { readAuditFolder } from "../files/read-audit-folder.ts"
import { addFollowOption, refuseWithFollow } from "../service/follow-list.ts"
import { printFollowed } from "../service/print-followed.ts"
import { addListOptions, listOptionsSchema, pageRequestOf, printList } from "../service/print-list.ts"
import { readAuditChain } from "../service/read-audit-chain.ts"
import { type CommandLine, defineAction, NO_ARGUMENTS } from "../session/define-action.ts"
import { parseTime } from "../terminal/duration.ts"
import { CommandFailure, UsageFailure } from "../terminal/failures.ts"
import { formatJson, formatTime, NOTHING } from "../terminal/format.ts"
import type { Column } from "../terminal/output.ts"

const COLUMNS: readonly Column<AuditRecord>[] = [
  { title: "at", value: ({ at }) => formatTime(at) },
  { title: "action", value: ({ action }) => action },
  { title: "target", value: ({ target }) => target.id },
  { title: "by", value: ({ actor }) => actor.id },
  { title: "from", value: ({ ip }) => ip ?? NOTHING },
  { title: "app", value: ({ appId }) => appId ?? NOTHING },
  { title: "id", value: ({ id }) => id },
]

const listOptions = listOptionsSchema.extend({
  action: z.string().optional(),
  ofApp: z.string().optional(),
  by: z.string().optional(),
  from: z.string().optional(),
  to: z.string().optional(),
  follow: z.boolean().default(false),
})

const ANCHOR = /^([1-9][0-9]{0,11}):([0-9a-f]{64})$/
const verifyOptions = z.object({ anchor: z.string().optional(), folder: z.string().optional() })

const FAULTS = {
  missing: "is missing or out of place",
  edited: "was edited",
  relinked: "does not follow the previous record",
  anchor: "does not match the anchor: the log was rewritten or truncated",
} as const

export function addAuditCommands(program: Command, line: CommandLine): void {
  const audit = program.command("audit").helpCommand(false).description("the team's audit log (team key)")

  defineAction(
    line,
    addFollowOption(
      addListOptions(audit.command("list").description("List actions and refusals, newest first.")),
    )
      .option("--action <name>", "only this action, such as data-policy.update or data-policy.*")
      .option("--of-app <id>", "only records that concern this app")
      .option("--by <id>", "only actions of this key or token")
      .option("--from <time>", "only records since a date, or since a time ago such as 24h")
      .option("--to <time>", "only before"),
    { options: listOptions, arguments: NO_ARGUMENTS },
    async ({ asTeam, output, host }, options) => {
      const { action, ofApp: appId, by: actorId, from, to, follow, all, limit, startingAfter } = options
      if (follow) {
        refuseWithFollow({ "--all": all, "--from": from, "--to": to, "--starting-after": startingAfter })
      }
      const time = (text: string | undefined, option: string) =>
        text === undefined ? undefined : String(parseTime(text, option, host.wallClock(), -1))
      const query = { action, appId, actorId, from: time(from, "--from"), to: time(to, "--to") }
      const service = await asTeam()
      if (follow) {
        const list = (since: number) => listAuditLogs(service, { ...query, from: since, limit: 100 })
        await printFollowed(host, output, { list, limit, columns: COLUMNS })
      } else {
        const list = listAuditLogs(service, { ...query, ...pageRequestOf(options) })
        await printList(output, options, COLUMNS, list)
      }
    },
  )

  defineAction(
    line,
    audit
      .command("verify")
      .summary("check that no record was changed")
      .description(
        "Fetches the whole log and recomputes its hash chain from the first record. Prints the chain's head, " +
          "<number>:<hash>. Store the head elsewhere and pass it as --anchor next time, to also detect a log that was " +
          "truncated or rewritten. With --folder, checks the records of a team that a stage has exported instead, and asks no " +
          "service. Exit status 1 when a record was edited, removed or moved.",
      )
      .option("--anchor <head>", "head printed by an earlier check")
      .option("--folder <path>", "a team's folder of exported records"),
    { options: verifyOptions, arguments: NO_ARGUMENTS },
    async ({ asTeam, output, host }, { anchor, folder }) => {
      const known = anchor === undefined ? null : parseAnchor(anchor)
      const tell = (what: string) => (done: number, total: number) =>
        output.progress(`${done} of ${total} ${what} checked`)
      const result =
        folder === undefined
          ? await readAuditChain(await asTeam(), known, tell("records"))
          : await readAuditFolder(resolve(host.folder, folder), known, tell("files"))
      if (output.mode === "json") output.json(formatJson(result))
      if (result.state === "broken") {
        const reason = `The audit log is not intact: record ${result.seq} ${FAULTS[result.reason]}.`
        throw new CommandFailure("audit/broken", reason)
      }
      if (output.mode !== "json") output.line(`${result.head.seq}:${result.head.hash}`)
      output.note(`The audit log is intact: ${result.head.seq} records.`)
    },
  )
}

function parseAnchor(text: string): { seq: number; hash: string } {
  const [, seq, hash] = ANCHOR.exec(text) ?? []
  if (seq === undefined || hash === undefined) {
    throw new UsageFailure(
      "--anchor must be a head printed by `audit verify`: a number, a colon and 64 hexadecimal digits.",
    )
  }
  return { seq: Number(seq), hash }
}
