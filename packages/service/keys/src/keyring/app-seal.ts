import type { App } from "@sealway/accounts"
import { openBytes, sealBytes } from "@sealway/kernel"
import * as z from "zod"
import type { KeyPurpose } from "./key-version.ts"
import type { Keyring } from "./keyring.ts"
import { type SubjectLock, withLock } from "./subject-lock.ts"

/** Bytes sealed with a key derived from an app's keys for one purpose. */
interface AppSealed {
  readonly keyVersion: number
  readonly sealed: Uint8Array
}

/** The schema fields of sealed bytes in a record. */
export const sealedShape = { keyVersion: z.number(), sealed: z.instanceof(Uint8Array) }

/** The purpose of sealed bytes and the record that holds them: moved to another record or app, they do not open. */
export interface SealedPlace {
  readonly app: App
  readonly purpose: KeyPurpose
  /** Unique among those of the same purpose and app. */
  readonly place: string
  /** Further keys that opening takes. Default: none. */
  readonly lock?: SubjectLock | null
}

/** Seals bytes with the app's newest keys, by `sealBytes`. */
export async function sealForApp(
  keyring: Pick<Keyring, "newest">,
  where: SealedPlace,
  bytes: Uint8Array,
): Promise<{ readonly keyVersion: number; readonly sealed: Buffer }> {
  const keys = await keyring.newest(where.app, "secret")
  const sealed = sealBytes(
    withLock(keys.deriveKey(where.purpose), where.lock),
    bytes,
    additionalDataOf(where),
  )
  return { keyVersion: keys.version, sealed }
}

/** Returns null when the bytes were not sealed for this place with this app's keys. */
export async function openForApp(
  keyring: Pick<Keyring, "open">,
  where: SealedPlace,
  { keyVersion, sealed }: AppSealed,
): Promise<Buffer | null> {
  const keys = await keyring.open(where.app, keyVersion, "secret")
  return openBytes(withLock(keys.deriveKey(where.purpose), where.lock), sealed, additionalDataOf(where))
}

/** NUL separates the parts, because ids contain none. */
function additionalDataOf({ app, place }: SealedPlace): Buffer {
  return Buffer.from(`${app.id}\0${place}`)
}
