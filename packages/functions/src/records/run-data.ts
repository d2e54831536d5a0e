import { KB } from "@sealway/kernel"
import {
  type App,
  type Keyring,
  openForApp,
  type RecordKey,
  type SealedPlace,
  sealForApp,
  type Table,
} from "@sealway/platform"
import * as z from "zod"
import type { FunctionRun } from "./run-table.ts"

/** The maximum stored size of a payload or an outcome: an item of DynamoDB is at most 400 KB. */
export const MAX_KEPT_BYTES = 256 * KB

/** The payload of a run, and the outcome of each attempt. */
export type RunDataPart = "payload" | `outcome-${number}`

const itemSchema = z.object({ keyVersion: z.int().positive(), sealed: z.instanceof(Uint8Array) })

const keyOf = ({ id }: Pick<FunctionRun, "id">, part: RunDataPart): RecordKey => ({
  pk: `function-run-data#${id}`,
  sk: part,
})

/** Moved to another run, app or part, data does not open. */
const placeOf = (app: App, { id }: Pick<FunctionRun, "id">, part: RunDataPart): SealedPlace => ({
  app,
  purpose: "function-run",
  place: `${id}\0${part}`,
})

/**
 * Stores data of a run, sealed with the app's newest keys, for as long as the run itself.
 *
 * @returns false when there is some already, which is not changed
 */
export async function createRunData(
  table: Table,
  keyring: Pick<Keyring, "newest">,
  app: App,
  run: Pick<FunctionRun, "id" | "expiresAt">,
  part: RunDataPart,
  bytes: Uint8Array,
): Promise<boolean> {
  const sealed = await sealForApp(keyring, placeOf(app, run, part), bytes)
  const item = { ...sealed, expiresAt: run.expiresAt, revision: 1 }
  return table.create(keyOf(run, part), item)
}

/**
 * Returns null when there is none, or it has expired.
 *
 * @throws Error when it was not sealed for this place with this app's keys
 */
export async function getRunData(
  table: Table,
  keyring: Pick<Keyring, "open">,
  app: App,
  run: Pick<FunctionRun, "id">,
  part: RunDataPart,
): Promise<Buffer | null> {
  const item = await table.get(keyOf(run, part))
  if (item === null) return null
  const bytes = await openForApp(keyring, placeOf(app, run, part), itemSchema.parse(item))
  if (bytes === null) throw new Error("The data of a run does not open")
  return bytes
}

export async function removeRunData(
  table: Table,
  run: Pick<FunctionRun, "id">,
  part: RunDataPart,
): Promise<void> {
  await table.remove(keyOf(run, part), 1)
}
