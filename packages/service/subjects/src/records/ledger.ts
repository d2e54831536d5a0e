import { type Erasure, erasureRecords } from "@sealway/keys"
import type { Table } from "@sealway/ports"

/**
 * Writes an entry into the ledger, unless there is a later one: one with a destroyed key, or with as many changes.
 *
 * @returns whether it counts now
 */
export async function writeErasure(
  eventsTable: Table,
  appId: string,
  erasure: Omit<Erasure, "revision">,
): Promise<boolean> {
  const known = await erasureRecords.find(eventsTable, appId, erasure)
  if (known === null) {
    const isWritten = await erasureRecords.create(eventsTable, appId, { ...erasure, revision: 1 })
    return isWritten || writeErasure(eventsTable, appId, erasure)
  }
  if (known.erasedAt !== null) return erasure.erasedAt !== null
  if (erasure.erasedAt === null && known.changes >= erasure.changes) return false
  const written = await erasureRecords.replace(eventsTable, appId, { ...erasure, revision: known.revision })
  // Somebody else has written meanwhile.
  return written !== null || writeErasure(eventsTable, appId, erasure)
}
