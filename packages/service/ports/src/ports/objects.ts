/** An object, and its upload in parts. */
export interface StoredUpload {
  readonly key: string
  readonly uploadId: string
}

export interface StoredPart {
  /** 1 to 10,000. */
  readonly number: number
  readonly size: number
  /** Without quotes. Changes when the part is uploaded again with other bytes; in the cloud, always. */
  readonly etag: string
}

export interface StoredParts {
  readonly parts: readonly StoredPart[]
  readonly hasMore: boolean
}

/** A URL by which somebody else may do one thing until it expires. */
export interface SignedUrl {
  readonly url: URL
  /** Epoch milliseconds. */
  readonly expiresAt: number
}

/**
 * The objects of one bucket. An object that was put, and one that was made of parts, is whole, and durable when the call
 * resolves. Signed URLs are S3's on one machine too: no file passes through the service.
 *
 * All methods reject with an error that `isUnavailability` recognises when the objects cannot be reached, or there is no
 * space for them.
 */
export interface Objects {
  /** Stores an object, in the place of an earlier one with this key. */
  put(key: string, bytes: Uint8Array): Promise<void>
  /** Returns null when there is none. */
  get(key: string): Promise<Uint8Array | null>
  /** Returns the first bytes of an object and its length; null when there is none. */
  readStart(key: string, bytes: number): Promise<{ readonly start: Uint8Array; readonly size: number } | null>
  /** Does nothing when there is none. */
  remove(key: string): Promise<void>
  /** Returns the id of the upload. It is aborted after eight days. */
  createUpload(key: string): Promise<string>
  /**
   * Returns the uploaded parts by number; null when the upload was completed or aborted.
   *
   * @param after the number of the last part that is left out. Default: none is
   */
  listParts(upload: StoredUpload, after?: number): Promise<StoredParts | null>
  /**
   * Makes an object of parts. From then on, no part can be replaced. All but the last have at least 5 MiB.
   *
   * @returns `changed` when a part was replaced since it was listed, `gone` when the upload was completed or aborted
   */
  completeUpload(
    upload: StoredUpload,
    parts: readonly StoredPart[],
  ): Promise<"completed" | "changed" | "gone">
  /** Does nothing when it was completed or aborted. */
  abortUpload(upload: StoredUpload): Promise<void>
  /** Returns the URL that accepts one part, of exactly this length, for an hour. */
  signPart(upload: StoredUpload, part: { readonly number: number; readonly size: number }): Promise<SignedUrl>
  /** Returns the URL that serves an object, in any range. A download, and each resumption, starts within 15 minutes. */
  signDownload(key: string): Promise<SignedUrl>
}

/** @param wallClock epoch milliseconds */
export type OpenObjects = (bucket: string, wallClock: () => number) => Objects
