import type { Kms } from "../stage/aws-clients.ts"
import { APP_TAG, KEY_TAG } from "../stage/resource-tags.ts"

/** A key in KMS that the service has created for a key version, and that is not going to be deleted. */
export interface HsmKey {
  readonly keyId: string
  readonly appId: string
  /** See `KEY_TAG`. */
  readonly keyTag: string
  /** Epoch milliseconds. */
  readonly createdAt: number
}

/** The keys that a stage's service has created in KMS. */
export interface HsmKeys {
  list(): AsyncIterable<HsmKey>
  /** Stops the use of a key. KMS deletes it after 30 days; until then an administrator can keep it. */
  scheduleDeletion(keyId: string): Promise<void>
}

const PENDING_DAYS = 30
const PAGE = 1_000
/** Keys of others, in the same account. */
const NOT_OURS = new Set(["AccessDeniedException", "NotFoundException"])

/** @param tags those of all keys that the service creates, see `runTimeTags` */
export function createHsmKeys(client: Kms, tags: Readonly<Record<string, string>>): HsmKeys {
  async function tagsOf(KeyId: string): Promise<ReadonlyMap<string, string>> {
    const { Tags = [] } = await client.call("ListResourceTags", { KeyId })
    return new Map(Tags.map(({ TagKey = "", TagValue = "" }) => [TagKey, TagValue]))
  }

  async function find(keyId: string): Promise<HsmKey | null> {
    const found = await tagsOf(keyId)
    const [appId, keyTag] = [found.get(APP_TAG), found.get(KEY_TAG)]
    const isOurs = Object.entries(tags).every(([key, value]) => found.get(key) === value)
    if (!isOurs || appId === undefined || keyTag === undefined) return null
    const { KeyMetadata: key } = await client.call("DescribeKey", { KeyId: keyId })
    // Whoever may set tags can put these on any key: only one of this usage may be deleted.
    if (key?.KeyUsage !== "KEY_AGREEMENT" || key.DeletionDate !== undefined) return null
    return { keyId, appId, keyTag, createdAt: key.CreationDate?.getTime() ?? Number.POSITIVE_INFINITY }
  }

  return {
    async *list() {
      let Marker: string | undefined
      do {
        const page = await client.call("ListKeys", { Limit: PAGE, ...(Marker && { Marker }) })
        for (const { KeyId } of page.Keys ?? []) {
          const key = KeyId === undefined ? null : await unlessOthers(find(KeyId))
          if (key !== null) yield key
        }
        Marker = page.NextMarker
      } while (Marker !== undefined)
    },
    async scheduleDeletion(KeyId) {
      await client.call("ScheduleKeyDeletion", { KeyId, PendingWindowInDays: PENDING_DAYS })
    },
  }
}

async function unlessOthers<Value>(found: Promise<Value>): Promise<Value | null> {
  try {
    return await found
  } catch (error) {
    if (error instanceof Error && NOT_OURS.has(error.name)) return null
    throw error
  }
}
