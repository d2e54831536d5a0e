import type { Table } from "@sealway/ports"
import type { AuditRecord } from "./audit-chain.ts"
import { BLOCK_PREFIX, blockKey, recordsOf } from "./audit-table.ts"

/** Where exported records are kept, as objects that nobody can change. A folder has those of a team. */
export interface AuditArchive {
  /** Returns the last name in a folder, in the order of bytes, of those after another; null when there is none. */
  lastAfter(folder: string, name: string): Promise<string | null>
  /** Keeps an object for good. Does nothing when there is one of that name. */
  keep(folder: string, name: string, text: string): Promise<void>
}

/** Exports what the archive lacks of a team's log. @throws Error of the archive or the table, when either fails */
export type AuditExporter = (teamId: string) => Promise<void>

const NAME_DIGITS = 12

/**
 * Creates what copies the log to an archive, in the blocks in which it was written: one object each, with a record in JSON
 * on each line. Its name is the number of the first record, so that a block that is exported twice is kept once, and the
 * files of a folder, read by name, are the team's chain.
 *
 * A block is kept only after all before it. So the last name says what is missing, whatever was lost on the way: a call
 * that fails, or is never made, is made good by the next one of the team.
 */
export function createAuditExporter(table: Pick<Table, "page">, archive: AuditArchive): AuditExporter {
  const blockAt = async (teamId: string, firstSeq: number) => {
    const { pk, sk } = blockKey(teamId, firstSeq)
    const { items } = await table.page(pk, sk, { limit: 1 })
    return items[0] === undefined ? null : recordsOf(items[0])
  }

  async function firstMissing(teamId: string): Promise<number> {
    const { items } = await table.page(blockKey(teamId, 0).pk, BLOCK_PREFIX, { limit: 2 })
    // The newest block is usually the only one that is missing: then the one before it is in the archive, if there is one.
    const early = items.map((item) => recordsOf(item)[0]?.seq ?? 0).at(-1) ?? 0
    const last =
      (await archive.lastAfter(teamId, nameOf(Math.max(0, early - 1)))) ??
      (await archive.lastAfter(teamId, ""))
    if (last === null) return 1
    const kept = await blockAt(teamId, Number.parseInt(last, 10))
    if (kept === null) throw new Error("The archive has records that the log does not have")
    return seqAfter(kept)
  }

  return async (teamId) => {
    let seq = await firstMissing(teamId)
    for (let block = await blockAt(teamId, seq); block !== null; block = await blockAt(teamId, seq)) {
      await archive.keep(teamId, nameOf(seq), block.map((record) => `${JSON.stringify(record)}\n`).join(""))
      seq = seqAfter(block)
    }
  }
}

const nameOf = (firstSeq: number) => `${String(firstSeq).padStart(NAME_DIGITS, "0")}.jsonl`
const seqAfter = (block: readonly AuditRecord[]) => (block.at(-1)?.seq ?? 0) + 1
