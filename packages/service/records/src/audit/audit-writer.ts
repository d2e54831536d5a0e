import { createRandomIds } from "@sealway/kernel"
import type { Grant, InvokeFunction, Table } from "@sealway/ports"
import * as z from "zod"
import { auditRecordSchema, faultOf } from "./audit-chain.ts"
import { type AuditGroup, groupSchema, waitingSchema } from "./audit-group.ts"
import {
  type AuditTable,
  attemptAt,
  blockKey,
  createAuditTable,
  endOf,
  MAX_BLOCK,
  readLastBlock,
} from "./audit-table.ts"

/** Permissions that only the writer has. Conditions are no permissions: whatever may write could also replace. */
export const AUDIT_WRITER_GRANTS: readonly Grant[] = ["dynamodb:Query/audit", "dynamodb:PutItem/audit"]

const blockSchema = z
  .object({
    /** Distinguishes a call, with its repetitions, from others. */
    attempt: z.string().min(1).max(64),
    /**
     * As readers take them. A block that they cannot read would end the log for good, because nothing removes it; and a
     * record with members that they do not know would look edited, because its hash covers them.
     */
    records: z.tuple([auditRecordSchema], auditRecordSchema).refine(({ length }) => length <= MAX_BLOCK),
    group: groupSchema.optional(),
  })
  .refine(({ group, records }) => group === undefined || countOf(group) === records.length)
const waitSchema = z
  .object({ teamId: z.string().min(1), slot: groupSchema.shape.slot, waiting: waitingSchema })
  // Otherwise the blocks of all who wait in the group would be refused.
  .refine(({ teamId, waiting }) => waiting.records.every((record) => record.teamId === teamId))
const callSchema = z.union([blockSchema, waitSchema])
const resultSchema = z.object({ isWritten: z.boolean() })

/** Writes one block, or keeps records that wait for one. */
export type AuditWriter = (call: unknown) => Promise<z.infer<typeof resultSchema>>

/**
 * Creates what the function does that alone may write to the log's table: it adds blocks to the end of a team's chain, and
 * what waits for one, and does nothing else. So whoever calls it can add records, even false ones, but can neither change
 * nor remove one.
 */
export function createAuditWriter(table: Pick<Table, "page" | "create">): AuditWriter {
  const auditTable = createAuditTable(table)
  return async (input) => {
    const call = callSchema.parse(input)
    if ("waiting" in call) {
      await auditTable.wait(call.teamId, call.slot, call.waiting)
      return { isWritten: true }
    }
    const { attempt, records, group } = call
    const [{ teamId, seq }] = records
    let end = endOf(await auditTable.lastBlock(teamId))
    if (end.seq >= seq) {
      // An earlier call of the same attempt may have written it, whose answer was lost.
      return { isWritten: (await attemptAt(table, blockKey(teamId, seq))) === attempt }
    }
    for (const record of records) {
      if (record.teamId !== teamId || faultOf(record, end) !== null) return { isWritten: false }
      end = record
    }
    return { isWritten: await auditTable.create({ records, group }, { attempt }) }
  }
}

function countOf({ members }: AuditGroup): number {
  return members.reduce((sum, { count }) => sum + count, 0)
}

const ATTEMPT_BYTES = 12

/**
 * Returns the table as processes see it that may only read it: the function writes for them. What it was called with is
 * durable when the call has been answered.
 *
 * @throws Error of the call, when the function cannot be reached or fails
 */
export function writtenByFunction(
  table: Pick<Table, "page">,
  invoke: InvokeFunction,
  functionName: string,
): AuditTable {
  const nextAttempt = createRandomIds(ATTEMPT_BYTES)
  const write = async (call: object) => resultSchema.parse(await invoke(functionName, call)).isWritten
  return {
    page: table.page,
    lastBlock: (teamId) => readLastBlock(table, teamId),
    create: ({ records, group }) =>
      write({ attempt: nextAttempt(), records, ...(group !== undefined && { group }) }),
    async wait(teamId, slot, waiting) {
      await write({ teamId, slot, waiting })
    },
  }
}
