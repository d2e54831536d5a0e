import type { App } from "@sealway/accounts"
import { andThen, type BoundedMap, type MaybePromise } from "@sealway/kernel"
import type { Keyring, KeyVersion } from "@sealway/keys"
import { InvalidTokenError, type SymmetricContent } from "@sealway/tokens"
import type { Open, OpeningKey } from "./opening-key.ts"
import { versionNumbers } from "./version-numbers.ts"

/** Opens symmetric values, which name their key version, during one request. */
export interface SymmetricOpenings {
  /**
   * @param id of the value's content key
   * @throws InvalidTokenError when the app has no such version, or it does not open the value
   */
  open<Opened>(id: string, sealed: SymmetricContent, open: Open<Opened>): MaybePromise<Opened>
}

/** @param keys those that have opened values, by the ids of content keys */
export function createSymmetricOpenings(
  keyring: Keyring,
  app: App,
  keys: BoundedMap<OpeningKey>,
): SymmetricOpenings {
  /** The key versions that values have named. */
  const named = new Map<number, KeyVersion>()

  function openWithVersion<Opened>(
    id: string,
    sealed: SymmetricContent,
    open: Open<Opened>,
  ): MaybePromise<Opened> {
    return andThen(namedVersion(sealed.keyVersion), ({ symmetric, publicKeys, honeyMarks }) => {
      if (symmetric === null) throw new InvalidTokenError()
      const key = {
        contentKey: symmetric.contentKey(sealed),
        honeyMarks: honeyMarks(sealed.keySegment),
        appPublicKey: publicKeys.prime256v1,
      }
      return andThen(open(key), (opened) => {
        keys.set(id, key)
        return opened
      })
    })
  }

  function namedVersion(version: number): MaybePromise<KeyVersion> {
    const known = named.get(version)
    if (known !== undefined) return known
    return andThen(keyring.peek(app, version) ?? findVersion(version), (found) => {
      named.set(version, found)
      return found
    })
  }

  async function findVersion(version: number): Promise<KeyVersion> {
    for await (const number of versionNumbers(keyring, app)) {
      if (number === version) return keyring.open(app, version, "private")
    }
    throw new InvalidTokenError()
  }

  return {
    open(id, sealed, open) {
      const known = keys.get(id)
      return known === undefined ? openWithVersion(id, sealed, open) : open(known)
    },
  }
}
