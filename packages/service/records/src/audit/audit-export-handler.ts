import { type Log, teamPartition } from "@sealway/ports"
import * as z from "zod"
import type { AuditExporter } from "./audit-exporter.ts"
import { GROUP_PREFIX } from "./audit-group.ts"

const TEAM_PREFIX = teamPartition("")

/** Of a record of a DynamoDB stream, only the key is read. What waits for a block is not exported: the block is. */
const partitionSchema = z.union([z.string().startsWith(TEAM_PREFIX), z.string().startsWith(GROUP_PREFIX)])
const changeSchema = z.object({
  dynamodb: z.object({ Keys: z.object({ pk: z.object({ S: partitionSchema }) }) }),
})
const eventSchema = z.union([
  z.object({ Records: z.array(changeSchema) }),
  /** By an operator, to export what is missing of a team that changes nothing at the moment. */
  z.strictObject({ teamId: z.string().min(1) }),
])

/**
 * Creates the Lambda handler that exports the logs of the teams of which the table's stream tells. It is safe to run twice
 * with the same event, even concurrently.
 *
 * @throws Error when a team's log cannot be exported, after all others: Lambda calls again
 */
export function createAuditExportHandler(
  exportTeam: AuditExporter,
  log: Pick<Log, "error">,
): (event: unknown) => Promise<void> {
  return async (event) => {
    const results = await Promise.allSettled(teamsOf(eventSchema.parse(event)).map(exportTeam))
    const errors = results.flatMap((result) => (result.status === "rejected" ? [result.reason] : []))
    for (const error of errors) log.error("audit records could not be exported", { error })
    if (errors.length > 0) throw new Error(`The audit logs of ${errors.length} teams could not be exported`)
  }
}

function teamsOf(event: z.infer<typeof eventSchema>): readonly string[] {
  if ("teamId" in event) return [event.teamId]
  const partitions = event.Records.map(({ dynamodb }) => dynamodb.Keys.pk.S)
  const teams = partitions.filter((pk) => pk.startsWith(TEAM_PREFIX))
  return [...new Set(teams.map((pk) => pk.slice(TEAM_PREFIX.length)))]
}
