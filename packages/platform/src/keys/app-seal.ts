import { openBytes, sealBytes } from "@sealway/kernel"
import * as z from "zod"
import type { App } from "../accounts/app-table.ts"
import type { KeyPurpose } from "./key-version.ts"
import type { Keyring } from "./keyring.ts"

/** Bytes sealed with a key that an app's keys give for one purpose. */
interface AppSealed {
  readonly keyVersion: number
  readonly sealed: Uint8Array
}

/** What a record keeps of sealed bytes, for its schema. */
export const sealedShape = { keyVersion: z.number(), sealed: z.instanceof(Uint8Array) }

/** What sealed bytes are for, and where they are kept: moved to another place or app, they do not open. */
export interface SealedPlace {
  readonly app: App
  readonly purpose: KeyPurpose
  /** Of those of a purpose and an app no two look alike. */
  readonly place: string
}

/** Seals bytes with the app's newest keys, by `sealBytes`. */
export async function sealForApp(
  keyring: Pick<Keyring, "newest">,
  where: SealedPlace,
  bytes: Uint8Array,
): Promise<{ readonly keyVersion: number; readonly sealed: Buffer }> {
  const keys = await keyring.newest(where.app)
  const sealed = sealBytes(keys.deriveKey(where.purpose), bytes, additionalDataOf(where))
  return { keyVersion: keys.version, sealed }
}

/** Null when the bytes were not sealed for this place with this app's keys. */
export async function openForApp(
  keyring: Pick<Keyring, "open">,
  where: SealedPlace,
  { keyVersion, sealed }: AppSealed,
): Promise<Buffer | null> {
  const keys = await keyring.open(where.app, keyVersion)
  return openBytes(keys.deriveKey(where.purpose), sealed, additionalDataOf(where))
}

/** Ids hold no NUL. */
function additionalDataOf({ app, place }: SealedPlace): Buffer {
  return Buffer.from(`${app.id}\0${place}`)
}
