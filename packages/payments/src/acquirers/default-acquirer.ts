import { ConflictError } from "@sealway/kernel"
import { type App, appPartition, type RecordKey, type Table } from "@sealway/platform"
import * as z from "zod"

const itemSchema = z.object({ acquirerId: z.string().nullable(), revision: z.number() })

const keyOf = (app: Pick<App, "id">): RecordKey => ({ pk: appPartition(app.id), sk: "default-acquirer" })

const MAX_TRIES = 5

/**
 * The id of an app's default acquirer; null for none. One record names it, so that no two acquirers can be the default at
 * the same time, however calls meet. It may name one that is deleted, which is as good as none.
 */
export async function findDefaultAcquirer(table: Table, app: Pick<App, "id">): Promise<string | null> {
  const item = await table.get(keyOf(app))
  return item && itemSchema.parse(item).acquirerId
}

/**
 * Names the default acquirer.
 *
 * @param from whom it may be taken from; the default is left as it is where another one is named
 * @throws ConflictError when others change it all the time
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
  throw new ConflictError("The default acquirer is being changed by another call. Try again.")
}
