import type { App } from "@sealway/accounts"
import { ConflictError } from "@sealway/kernel"
import { appPartition, type RecordKey, type Table } from "@sealway/ports"
import * as z from "zod"

const itemSchema = z.object({ acquirerId: z.string().nullable(), revision: z.number() })

const keyOf = (app: Pick<App, "id">): RecordKey => ({ pk: appPartition(app.id), sk: "default-acquirer" })

const MAX_TRIES = 5

/**
 * Returns the id of an app's default acquirer; null for none. A single record holds it, so there are never two
 * defaults, however calls overlap. It may name a deleted acquirer, which counts as none.
 */
export async function findDefaultAcquirer(table: Table, app: Pick<App, "id">): Promise<string | null> {
  const item = await table.get(keyOf(app))
  return item && itemSchema.parse(item).acquirerId
}

/**
 * Sets the default acquirer.
 *
 * @param from the defaults that may be replaced; any other default stays
 * @throws ConflictError when others keep changing it
 */
export async function setDefaultAcquirer(
  table: Table,
  app: Pick<App, "id">,
  acquirerId: string | null,
  from: (current: string | null) => boolean | Promise<boolean> = () => true,
): Promise<void> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const item = await table.get(keyOf(app))
    const current = item && itemSchema.parse(item)
    const currentId = current?.acquirerId ?? null
    if (currentId === acquirerId || !(await from(currentId))) return
    const isWritten =
      current === null
        ? await table.create(keyOf(app), { acquirerId, revision: 1 })
        : await table.replace(keyOf(app), { acquirerId }, current.revision)
    if (isWritten) return
  }
  throw new ConflictError("The default acquirer is being changed by another request. Try again.")
}
