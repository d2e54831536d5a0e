import { formatJson } from "../terminal/format.ts"
import type { CliHost } from "../terminal/host.ts"
import type { Column, Output } from "../terminal/output.ts"
import { followList, type ListFrom } from "./follow-list.ts"

/** A list to follow, and how to show it. */
export interface FollowedList<Item> {
  readonly list: ListFrom<Item>
  /** How many to start with. */
  readonly limit: number
  readonly columns: readonly Column<Item>[]
  /** Whether the list supports a minimum time. Default: true. */
  readonly takesFrom?: boolean
  /** How a line is formatted for people. Default: fields separated by tabs. */
  readonly lineOf?: (item: Item) => string
}

/** Prints a list as it grows, one item per line, until the user gives up. */
export async function printFollowed<Item extends { readonly id: string }>(
  host: CliHost,
  output: Output,
  { list, limit, columns, takesFrom, lineOf }: FollowedList<Item>,
): Promise<void> {
  const onSkipped = () =>
    output.note("There were too many to show. Run the command without --follow to list all of them.")
  for await (const item of followList(host, list, limit, onSkipped, takesFrom)) {
    if (output.mode === "json") output.json(formatJson(item))
    else if (output.mode === "quiet") output.line(item.id)
    else if (lineOf === undefined) output.row(columns, item)
    else output.line(lineOf(item))
  }
}
