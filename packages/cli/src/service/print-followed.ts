import type * as z from "zod"
import { formatJson } from "../terminal/format.ts"
import type { CliHost } from "../terminal/host.ts"
import type { Column, Output } from "../terminal/output.ts"
import { followList } from "./follow-list.ts"
import { parseItem } from "./list-pages.ts"
import type { Call, ServiceClient } from "./service-client.ts"

/** A list to follow, and how to show it. */
export interface FollowedList<Value> {
  /** The call for the list, newest first. */
  readonly call: Pick<Call, "path" | "query">
  /** How many to start with. */
  readonly limit: number
  readonly schema: z.ZodType<Value>
  readonly columns: readonly Column<Value>[]
  /** Whether the list supports a minimum time. Default: true. */
  readonly takesFrom?: boolean
  /** How a line is formatted for people. Default: fields separated by tabs. */
  readonly lineOf?: (value: Value) => string
}

/** Prints a list as it grows, one item per line, until the user gives up. */
export async function printFollowed<Value>(
  service: ServiceClient,
  host: CliHost,
  output: Output,
  { call, limit, schema, columns, takesFrom, lineOf }: FollowedList<Value>,
): Promise<void> {
  const onSkipped = () =>
    output.note("There were too many to show. Run the command without --follow to list all of them.")
  for await (const item of followList(service, host, call, limit, onSkipped, takesFrom)) {
    if (output.mode === "json") output.json(formatJson(item))
    else if (output.mode === "quiet") output.line(item.id)
    else {
      const value = parseItem(schema, item)
      if (lineOf === undefined) output.row(columns, value)
      else output.line(lineOf(value))
    }
  }
}
