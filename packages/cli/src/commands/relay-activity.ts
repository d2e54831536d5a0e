import { type Command, Option } from "commander"
import * as z from "zod"
import { findRelayId } from "../plan/find-relay-id.ts"
import { RELAYS_PATH } from "../plan/stored-relays.ts"
import { addFollowOption, refuseWithFollow } from "../service/follow-list.ts"
import { addListOptions, listOptionsSchema, printList } from "../service/list-pages.ts"
import { printFollowed } from "../service/print-followed.ts"
import { type CommandLine, defineAction, ONE_ARGUMENT } from "../session/define-action.ts"
import { formatTime, NOTHING } from "../terminal/format.ts"
import type { Column } from "../terminal/output.ts"

const activitySchema = z.object({
  id: z.string(),
  mode: z.string(),
  method: z.string(),
  routes: z.array(z.string()),
  status: z.number(),
  error: z.object({ code: z.string(), detail: z.string() }).nullish(),
  selections: z.array(z.object({ changed: z.number() })),
  leaks: z.array(z.unknown()).default([]),
  timing: z.object({ totalMs: z.number() }),
  createdAt: z.number(),
})

const COLUMNS: readonly Column<z.infer<typeof activitySchema>>[] = [
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

const STATUS_CLASSES = ["1XX", "2XX", "3XX", "4XX", "5XX"]
const activityOptions = listOptionsSchema.extend({
  status: z.string().optional(),
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
      if (follow) refuseWithFollow({ "--all": all, "--starting-after": startingAfter })
      const service = await asApp()
      const path = [...RELAYS_PATH, await findRelayId(service, relay), "activity"]
      const call = { path, query: { statusClass, errorCode } }
      const shown = { call, limit, schema: activitySchema, columns: COLUMNS, takesFrom: false }
      if (follow) await printFollowed(service, host, output, shown)
      else await printList(service, output, call, options, activitySchema, COLUMNS)
    },
  )
}
