/** What the service says about a data subject to clients that encrypt. */
export interface SubjectKey {
  /** `data_subject_` and 32 hexadecimal digits. */
  readonly id: string
  /** The id of the app. */
  readonly app: string
  /** A P-256 key, uncompressed, 65 bytes, in base64. */
  readonly publicKey: string
  /** Whether tokens are marked as a sandbox app's. */
  readonly isSandbox: boolean
}

/**
 * Refuses options that name a data subject which is undefined: where a person's id is missing, values would be sealed for
 * nobody, and no erasure would reach them.
 *
 * @throws TypeError
 */
export function refuseMissingSubject(options: { readonly dataSubject?: unknown }): void {
  if ("dataSubject" in options && options.dataSubject === undefined) {
    throw new TypeError("dataSubject is undefined. Leave it out to encrypt for no data subject.")
  }
}

const ID = /^data_subject_([0-9a-f]{32})$/

/** Returns the 16 bytes of the id of a data subject; null when it is none. */
export function subjectIdBytes(id: string): Uint8Array<ArrayBuffer> | null {
  const digits = ID.exec(id)?.[1]?.match(/../g)
  return digits ? Uint8Array.from(digits, (byte) => Number.parseInt(byte, 16)) : null
}
