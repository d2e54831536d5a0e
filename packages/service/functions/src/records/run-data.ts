import type { App } from "@sealway/accounts"
import { ApiError, KB } from "@sealway/kernel"
import {
  type Keyring,
  openForApp,
  type SealedPlace,
  type SubjectLock,
  sealForApp,
  subjectLock,
} from "@sealway/keys"
import type { RecordKey, Table } from "@sealway/ports"
import { ErasedSubjectError } from "@sealway/tokens"
import * as z from "zod"
import { type Outcome, statusOfMembers } from "../request/outcome.ts"
import type { FunctionRun } from "./run-table.ts"

/** The maximum stored size of a payload or an outcome: an item of DynamoDB is at most 400 KB. */
export const MAX_KEPT_BYTES = 256 * KB

/** The payload of a run, and the outcome of each attempt. */
export type RunDataPart = "payload" | `outcome-${number}`

const itemSchema = z.object({
  keyVersion: z.int().positive(),
  sealed: z.instanceof(Uint8Array),
  /** The data subjects without whose keys it does not open. */
  subjects: z.array(z.string()).default([]),
  /** Whether the outcome is a success. Absent from the payload, and from older outcomes. */
  status: z.enum(["success", "failure"]).optional(),
})

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
 * Derives the lock of what a run makes of the values of data subjects; null when there are none. See `subjectLock`.
 *
 * @throws ApiError `data-subject/erased` when any of them is erased, or is going to be
 */
export async function lockOfRun(
  { subjects }: Pick<Keyring, "subjects">,
  app: App,
  ids: readonly string[],
): Promise<SubjectLock | null> {
  try {
    return await subjectLock(subjects, app, ids, "function-run")
  } catch (cause) {
    throw cause instanceof ErasedSubjectError ? new ApiError("data-subject/erased", ERASED, { cause }) : cause
  }
}

const ERASED = "The run got values of a data subject that is erased, or is going to be."

/** What is stored beside the data of a run. */
interface RunDataOptions {
  /** The keys of data subjects that it takes to open the data. Default: none. */
  readonly lock?: SubjectLock | null
  /** Of an outcome. It can be read without the keys of data subjects. */
  readonly status?: Outcome["status"]
}

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
  { lock = null, status }: RunDataOptions = {},
): Promise<boolean> {
  const sealed = await sealForApp(keyring, { ...placeOf(app, run, part), lock }, bytes)
  const item = {
    ...sealed,
    ...(lock !== null && { subjects: lock.subjects }),
    ...(status !== undefined && { status }),
    expiresAt: run.expiresAt,
    revision: 1,
  }
  return table.create(keyOf(run, part), item)
}

/**
 * Returns null when there is none, or it has expired.
 *
 * @throws ApiError `data-subject/erased` when a data subject whose values the run got is erased, or is going to be
 * @throws Error when it was not sealed for this place with this app's keys
 */
export async function getRunData(
  table: Table,
  keyring: Pick<Keyring, "open" | "subjects">,
  app: App,
  run: Pick<FunctionRun, "id">,
  part: RunDataPart,
): Promise<Buffer | null> {
  const item = await table.get(keyOf(run, part))
  return item && openItem(keyring, app, run, part, itemSchema.parse(item))
}

/**
 * Returns the status of an outcome, which is opened only if it was stored by an earlier release; null when there is none.
 *
 * @throws as `getRunData`
 */
export async function getOutcomeStatus(
  table: Table,
  keyring: Pick<Keyring, "open" | "subjects">,
  app: App,
  run: Pick<FunctionRun, "id">,
  part: RunDataPart,
): Promise<Outcome["status"] | null> {
  const item = await table.get(keyOf(run, part))
  if (item === null) return null
  const stored = itemSchema.parse(item)
  return stored.status ?? statusOfMembers(await openItem(keyring, app, run, part, stored))
}

async function openItem(
  keyring: Pick<Keyring, "open" | "subjects">,
  app: App,
  run: Pick<FunctionRun, "id">,
  part: RunDataPart,
  { subjects, ...sealed }: z.infer<typeof itemSchema>,
): Promise<Buffer> {
  const lock = await lockOfRun(keyring, app, subjects)
  const bytes = await openForApp(keyring, { ...placeOf(app, run, part), lock }, sealed)
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
