import type { MaybePromise } from "@sealway/kernel"
import { UNCOMPRESSED_POINT_BYTES } from "../crypto/sizes.ts"
import type { SealMetadata } from "../format/encode-metadata.ts"
import type { ValueType } from "../format/value-type.ts"
import type { RenewingSource } from "../values/renewing-source.ts"

/**
 * What a client seals with, on some runtime's cryptography. There are two: `clients/node.ts` on `node:crypto`, and
 * `clients/web.ts` on WebCrypto, which loads no module of Node.js. Both write the same tokens and files.
 */
export interface ClientSealing {
  readonly name: "node" | "web"
  /**
   * Prepares sealing to an app's key.
   *
   * @throws TypeError, or rejects with it, when the key is not a point of P-256
   */
  keysFor(app: ClientApp): MaybePromise<RenewingSource<MaybePromise<ClientSealingKey>>>
}

/** An app, or one of its data subjects, as clients know it. */
export interface ClientApp {
  /** The app's P-256 key, or that of the data subject: uncompressed, 65 bytes. */
  readonly appPublicKey: Uint8Array
  /** The id of the data subject, 16 bytes. Default: none. For a data subject, no files are sealed. */
  readonly subjectId?: Uint8Array
  /** True for sandbox apps. */
  readonly debug: boolean
  /** A monotonic clock, in milliseconds. */
  readonly now: () => number
}

/** A value to seal. */
export interface ClientValue {
  readonly type: ValueType
  /** A string, or the JSON literal of a number or boolean. */
  readonly text: string
}

/** One ephemeral key pair for one app's key. */
export interface ClientSealingKey {
  /**
   * Seals values without blocking others for long: as `Tk9D` without metadata, as `QkTC` with it; for a data subject as
   * `c3cz`.
   *
   * @returns a token for each
   * @throws TypeError when a text is not one value of its type, or the metadata is invalid
   */
  sealAll(values: readonly ClientValue[], metadata?: SealMetadata): Promise<string[]>
  /** Seals a file. The caller must not change the bytes until it is done. */
  sealFile(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>>
  /** Starts a file that is sealed chunk by chunk, of any size. */
  startFile(): MaybePromise<FileSealing>
}

/** A file that is being sealed. */
export interface FileSealing {
  /** What the sealed file begins with. */
  readonly header: Uint8Array<ArrayBuffer>
  /** Returns what follows in the sealed file; possibly nothing yet. */
  update(chunk: Uint8Array): MaybePromise<Uint8Array<ArrayBuffer>>
  /** Returns what the sealed file ends with. */
  end(): MaybePromise<Uint8Array<ArrayBuffer>>
}

export const NO_FILES = "A file cannot belong to a data subject"

export const WRONG_APP_KEY = "The app's public key is not an uncompressed point of P-256"

/** @throws TypeError when the bytes cannot be an uncompressed point; whether it is on the curve remains to be checked */
export function requireUncompressedPoint(bytes: Uint8Array): void {
  if (bytes.length !== UNCOMPRESSED_POINT_BYTES || bytes[0] !== 0x04) throw new TypeError(WRONG_APP_KEY)
}
