import { APP_TAG, KEY_TAG, type Keys } from "@sealway/ports"

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

/** @param tags those of all keys that the service creates, see `runTimeTags` */
export function createHsmKeys(
  keys: Pick<Keys, "listAgreementKeys" | "scheduleDeletion">,
  tags: Readonly<Record<string, string>>,
): HsmKeys {
  return {
    // Whoever may set tags can put these on any key: only keys for key agreement are listed, and may be deleted.
    async *list() {
      for await (const key of keys.listAgreementKeys(tags)) {
        const [appId, keyTag] = [key.tags.get(APP_TAG), key.tags.get(KEY_TAG)]
        if (appId === undefined || keyTag === undefined) continue
        yield { keyId: key.keyId, appId, keyTag, createdAt: key.createdAt }
      }
    },
    scheduleDeletion: (keyId) => keys.scheduleDeletion(keyId, PENDING_DAYS),
  }
}
