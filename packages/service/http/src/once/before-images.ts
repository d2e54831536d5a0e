import { deserialize, serialize } from "node:v8"
import { deflateRawSync, inflateRawSync } from "node:zlib"
import { MB, openBytes, sealBytes } from "@sealway/kernel"
import type { Item, RecordKey, Table } from "@sealway/ports"
import * as z from "zod"

/** A record's table and key. */
export interface Place extends RecordKey {
  readonly table: string
}

interface BeforeImage {
  readonly item: Item
  /** Whether the change that followed is known to be made. */
  readonly isPassed: boolean
}

/**
 * The state of each record before a request changes it, so that a repetition of the request sees what the first attempt
 * saw. Written before the change.
 */
export interface BeforeImages {
  /** What earlier attempts wrote. */
  readonly known: ReadonlyMap<string, BeforeImage & { readonly place: Place }>
  /** Resolves when it is durable. */
  add(place: Place, item: Item): Promise<void>
  /** Notes that all changes so far are made. Others may change the same records from now on. */
  pass(): Promise<void>
}

export interface BeforeImagesDependencies {
  readonly table: Table
  readonly pk: string
  /** Distinguishes the steps of one request from those of others with the same `Idempotency-Key`. */
  readonly name: string
  readonly sealingKey: Uint8Array
  /** Epoch seconds. */
  readonly expiresAt: () => number
}

const stepSchema = z.lazy(() => z.object({ sealed: z.instanceof(Uint8Array) }))
const entrySchema = z.lazy(() =>
  z.discriminatedUnion("kind", [
    z.object({
      kind: z.literal("before"),
      table: z.string(),
      pk: z.string(),
      sk: z.string(),
      item: z.record(z.string(), z.unknown()),
    }),
    z.object({ kind: z.literal("passed") }),
  ]),
)
type Entry = z.infer<typeof entrySchema>

/** More than any request changes; a relay with all its custom domains and alerts is the most. */
const MAX_STEPS = 500
/** A DynamoDB item is at most 400 KB. */
const MAX_ENTRY_BYTES = 4 * MB

export const nameOf = ({ table, pk, sk }: Place): string => JSON.stringify([table, pk, sk])

/** @param isRepeat whether there may be steps of earlier attempts */
export async function openBeforeImages(
  dependencies: BeforeImagesDependencies,
  isRepeat: boolean,
): Promise<BeforeImages> {
  const { table, pk, name, sealingKey, expiresAt } = dependencies
  const keyOf = (step: number): RecordKey => ({ pk, sk: `step#${name}#${step}` })
  const boundTo = ({ sk }: RecordKey) => Buffer.from(`${pk}\0${sk}`)

  const known = new Map<string, BeforeImage & { readonly place: Place }>()
  let steps = 0
  for (; isRepeat && steps < MAX_STEPS; steps++) {
    const item = await table.get(keyOf(steps))
    if (item === null) break
    const opened = openBytes(sealingKey, stepSchema.parse(item).sealed, boundTo(keyOf(steps)))
    if (opened === null) throw new Error("A step of a repeated request does not open")
    const inflated = inflateRawSync(opened, { maxOutputLength: MAX_ENTRY_BYTES })
    const entry = entrySchema.parse(deserialize(inflated))
    if (entry.kind === "passed") {
      for (const [key, image] of known) known.set(key, { ...image, isPassed: true })
    } else {
      const { kind, item: before, ...place } = entry
      known.set(nameOf(place), { place, item: before, isPassed: false })
    }
  }

  let hasUnpassed = [...known.values()].some(({ isPassed }) => !isPassed)
  let last: Promise<void> = Promise.resolve()
  // In sequence: steps are read up to the first missing one.
  const append = (entry: Entry): Promise<void> => {
    const key = keyOf(steps++)
    const plain = deflateRawSync(serialize(entry))
    const sealed = sealBytes(sealingKey, plain, boundTo(key))
    last = last.then(() => table.put(key, { sealed, expiresAt: expiresAt() }))
    return last
  }
  return {
    known,
    add({ table, pk, sk }, item) {
      if (steps >= MAX_STEPS) return Promise.resolve()
      hasUnpassed = true
      return append({ kind: "before", table, pk, sk, item: { ...item } })
    },
    async pass() {
      if (!hasUnpassed || steps >= MAX_STEPS) return
      hasUnpassed = false
      await append({ kind: "passed" })
    },
  }
}
