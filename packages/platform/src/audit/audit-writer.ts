import { createRandomIds } from "@sealway/kernel"
import * as z from "zod"
import type { InvokeFunction } from "../aws/lambda-invoker.ts"
import type { Grant } from "../stage/grants.ts"
import type { Table } from "../tables/table.ts"
import { auditRecordSchema, type ChainHead, faultOf } from "./audit-chain.ts"
import { type AuditTable, attemptAt, blockKey, MAX_BLOCK, readHead } from "./audit-table.ts"

/** Permissions that only the writer has. Conditions are no permissions: whatever may write could also replace. */
export const AUDIT_WRITER_GRANTS: readonly Grant[] = ["dynamodb:Query/audit", "dynamodb:PutItem/audit"]

const blockSchema = z.object({
  /** Distinguishes a call, with its repetitions, from others. */
  attempt: z.string().min(1).max(64),
  /**
   * As readers take them. A block that they cannot read would end the log for good, because nothing removes it; and a
   * record with members that they do not know would look edited, because its hash covers them.
   */
  records: z.tuple([auditRecordSchema], auditRecordSchema).refine(({ length }) => length <= MAX_BLOCK),
})
const resultSchema = z.object({ isWritten: z.boolean() })

/** Writes one block. */
export type AuditWriter = (block: unknown) => Promise<z.infer<typeof resultSchema>>

/**
 * Creates what the function does that alone may write to the log's table: it adds blocks to the end of a team's chain, and
 * does nothing else. So whoever calls it can add records, even false ones, but can neither change nor remove one.
 */
export function createAuditWriter(table: Pick<Table, "page" | "create">): AuditWriter {
  return async (block) => {
    const { attempt, records } = blockSchema.parse(block)
    const [{ teamId, seq }] = records
    const key = blockKey(teamId, seq)
    let end: ChainHead = await readHead(table, teamId)
    if (end.seq >= seq) {
      // An earlier call of the same attempt may have written it, whose answer was lost.
      return { isWritten: (await attemptAt(table, key)) === attempt }
    }
    for (const record of records) {
      if (record.teamId !== teamId || faultOf(record, end) !== null) return { isWritten: false }
      end = record
    }
    return { isWritten: await table.create(key, { records }, { attempt }) }
  }
}

const ATTEMPT_BYTES = 12

/**
 * Returns the table as processes see it that may only read it: the function writes for them. A block is durable when its
 * call has been answered.
 *
 * @throws Error of the call, when the function cannot be reached or fails
 */
export function writtenByFunction(
  table: Pick<Table, "page">,
  invoke: InvokeFunction,
  functionName: string,
): AuditTable {
  const nextAttempt = createRandomIds(ATTEMPT_BYTES)
  return {
    page: table.page,
    async create(_key, { records }) {
      const block = { attempt: nextAttempt(), records }
      return resultSchema.parse(await invoke(functionName, block)).isWritten
    },
  }
}
