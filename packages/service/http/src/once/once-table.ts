import { ApiError } from "@sealway/kernel"
import {
  ATTEMPT,
  type DerivedDraws,
  type Item,
  type RecordKey,
  type StandingRecord,
  type Table,
} from "@sealway/ports"
import { type BeforeImages, nameOf, type Place } from "./before-images.ts"

export interface OnceTableDependencies {
  readonly draws: Pick<DerivedDraws, "isOwnId">
  /** The stamp of the request's writes: the same in all its attempts, and different from anyone else's. */
  readonly stamp: string
  readonly beforeImages: BeforeImages
  /** Whether an earlier attempt may have made some of the writes. */
  readonly isRepeat: boolean
}

/**
 * A table as seen by one request, which may be the repetition of one that died. A repetition sees every record as the
 * first attempt saw it, until it writes the record itself; a write that an earlier attempt made counts as made, and is
 * not made again. So code that only reads and writes conditionally does everything once, without knowing about
 * repetitions.
 *
 * `put` writes again. `add` and `tally` count again.
 */
export function createOnceTable(
  name: string,
  inner: Table,
  { draws, stamp, beforeImages, isRepeat }: OnceTableDependencies,
): Table {
  /** Records as they were read, for their before-images. */
  const seen = new Map<string, Item>()
  /** Records that this attempt has written. */
  const written = new Set<string>()
  const writes = new Map<string, number>()
  const placeOf = ({ pk, sk }: RecordKey): Place => ({ table: name, pk, sk })

  /** Returns the position of a write among the request's writes of the record; null when it is somebody else's. */
  const ownWrite = (attempt: unknown): number | null =>
    typeof attempt === "string" && attempt.startsWith(`${stamp}.`)
      ? Number(attempt.slice(stamp.length + 1))
      : null
  const isOwnCreation = (item: Item) =>
    ownWrite(item[ATTEMPT]) !== null || (typeof item.id === "string" && draws.isOwnId(item.id))

  /** Returns a record as the first attempt saw it. */
  function view(key: RecordKey, item: Item | null): Item | null {
    const place = nameOf(placeOf(key))
    if (written.has(place)) return item
    const before = beforeImages.known.get(place)?.item
    const shown = before ?? (isRepeat && item !== null && isOwnCreation(item) ? null : item)
    if (shown !== null) seen.set(place, shown)
    return shown
  }

  function viewAll(items: readonly Item[]): Item[] {
    return items
      .map((item) => view({ pk: String(item.pk), sk: String(item.sk) }, item))
      .filter((item) => item !== null)
  }

  function nextWrite(place: string): number {
    const write = writes.get(place) ?? 0
    writes.set(place, write + 1)
    written.add(place)
    return write
  }

  /** Saves a record before the request's first change of it. */
  async function keepBefore(key: RecordKey): Promise<void> {
    const place = nameOf(placeOf(key))
    const item = seen.get(place)
    if (item === undefined || written.has(place) || beforeImages.known.has(place)) return
    await beforeImages.add(placeOf(key), item)
  }

  return {
    async get(key) {
      return view(key, await inner.get(key))
    },

    async list(pk, prefix) {
      const items = viewAll(await inner.list(pk, prefix))
      const found = new Set(items.map(({ sk }) => sk))
      for (const { place, item } of beforeImages.known.values()) {
        const isUnder = place.table === name && place.pk === pk && place.sk.startsWith(prefix)
        if (isUnder && !found.has(place.sk) && !written.has(nameOf(place))) items.push(item)
      }
      return items.sort((left, right) => (String(left.sk) < String(right.sk) ? 1 : -1))
    },

    async page(pk, prefix, request) {
      const { items, hasMore } = await inner.page(pk, prefix, request)
      return { items: viewAll(items), hasMore }
    },

    create(key, item) {
      const write = nextWrite(nameOf(placeOf(key)))
      return inner.create(key, item, {
        attempt: `${stamp}.${write}`,
        isMade: (standing) =>
          isRepeat && standing !== null && (isMadeSince(standing, write) || isOwnIdOf(standing)),
      })
    },

    async put(key, item) {
      written.add(nameOf(placeOf(key)))
      await inner.put(key, item)
    },

    async replace(key, item, revision) {
      await keepBefore(key)
      const place = nameOf(placeOf(key))
      const before = beforeImages.known.get(place)
      const write = nextWrite(place)
      return inner.replace(key, item, revision, {
        attempt: `${stamp}.${write}`,
        isMade(standing) {
          if (!isRepeat) return false
          if (standing !== null && isMadeSince(standing, write)) return true
          if (before === undefined) return false
          if (before.isPassed) return true
          // Somebody else made this change.
          if (standing?.revision === revision + 1) return false
          throw resultUnknown()
        },
      })
    },

    async remove(key, revision) {
      await keepBefore(key)
      const place = nameOf(placeOf(key))
      const before = beforeImages.known.get(place)
      nextWrite(place)
      return inner.remove(key, revision, (standing) => {
        if (!isRepeat || before === undefined) return false
        // The current record is either the one to remove, changed by somebody else, or a different one.
        return standing !== null && standing.id !== before.item.id
      })
    },

    add: (key, increment) => inner.add(key, increment),
    tally: (key, change) => inner.tally(key, change),
  }

  function isMadeSince({ attempt }: StandingRecord, write: number): boolean {
    const found = ownWrite(attempt)
    return found !== null && found >= write
  }

  function isOwnIdOf({ id }: StandingRecord): boolean {
    return id !== null && draws.isOwnId(id)
  }
}

/** The error for a request that may have taken effect, when nobody can tell. */
export function resultUnknown(): ApiError {
  return new ApiError(
    "idempotency-result-unknown",
    "The first request with this Idempotency-Key may have taken effect, but its response was lost. It will not be repeated. Check what it did before you send it again with another key.",
  )
}
