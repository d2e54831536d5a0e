import { isErrorCode, isRelayErrorCode, RELAY_ERROR_CODES } from "@sealway/kernel"
import { listRelayActivity, type RelayActivity } from "@sealway/sdk/api"
import { type Command, Option } from "commander"
import * as z from "zod"
import { findRelayId } from "../plan/find-relay-id.ts"
import { addFollowOption, refuseWithFollow } from "../service/follow-list.ts"
import { printFollowed } from "../service/print-followed.ts"
import {
  addListOptions,
  listOptionsSchema,
  type PageRequest,
  pageRequestOf,
  printList,
} from "../service/print-list.ts"
import { type CommandLine, defineAction, ONE_ARGUMENT } from "../session/define-action.ts"
import { EXIT } from "../terminal/exit-codes.ts"
import { CommandFailure } from "../terminal/failures.ts"
import { formatTime, NOTHING } from "../terminal/format.ts"
import type { Column } from "../terminal/output.ts"

const COLUMNS: readonly Column<RelayActivity>[] = [
  { title: "at", value: ({ createdAt }) => formatTime(createdAt) },
  { title: "method", value: ({ method }) => method },
  { title: "routes", value: ({ routes }) => routes.join(" ") || NOTHING },
  { title: "status", value: ({ status }) => String(status) },
  { title: "error", value: ({ error }) => error?.code ?? NOTHING },
  {
    title: "changed",
    value: ({ selections }) => String(selections.reduce((sum, { changed }) => sum + changed, 0)),
  },
  { title: "leaks", value: ({ leaks }) => String(leaks.length) },
  { title: "ms", value: ({ timing }) => String(Math.round(timing.totalMs)) },
  { title: "id", value: ({ id }) => id },
]

const STATUS_CLASSES = ["1XX", "2XX", "3XX", "4XX", "5XX"] as const
const activityOptions = listOptionsSchema.extend({
  status: z.enum(STATUS_CLASSES).optional(),
  error: z.string().optional(),
  follow: z.boolean().default(false),
})

export function addRelayActivityCommand(relays: Command, line: CommandLine): void {
  defineAction(
    line,
    addFollowOption(
      addListOptions(
        relays
          .command("activity")
          .argument("<relay>", "id or destination")
          .summary("list requests through a relay")
          .description(
            "Lists the requests of the last 7 days through a relay, newest first: what was selected and changed (in full with " +
              "--json), the response, and the timing; never values.",
          ),
      ),
    )
      .addOption(
        new Option("--status <class>", "only requests with this response status").choices(STATUS_CLASSES),
      )
      .option("--error <code>", "only requests that ended with this relay error"),
    { options: activityOptions, arguments: ONE_ARGUMENT },
    async ({ asApp, output, host }, options, [relay]) => {
      const { status: statusClass, error: errorCode, follow, limit, all, startingAfter } = options
      if (errorCode !== undefined && !(isErrorCode(errorCode) && isRelayErrorCode(errorCode))) {
        const details = RELAY_ERROR_CODES
        throw new CommandFailure("invalid-request", "Relays have no such error. They have:", EXIT.failed, {
          details,
        })
      }
      if (follow) refuseWithFollow({ "--all": all, "--starting-after": startingAfter })
      const service = await asApp()
      const relayId = await findRelayId(service, relay)
      const list = (page: Partial<PageRequest>) =>
        listRelayActivity(service, { relayId, statusClass, errorCode, ...page })
      const followed = { list: () => list({ limit: 100 }), limit, columns: COLUMNS, takesFrom: false }
      if (follow) await printFollowed(host, output, followed)
      else await printList(output, options, COLUMNS, list(pageRequestOf(options)))
    },
  )
}
