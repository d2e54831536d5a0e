import type { File as StoredFile } from "../api/generated/index.ts"
import type { CallOptions } from "../requests/transport.ts"

export interface UploadOptions extends CallOptions {
  /** What people read in lists. It is stored in the clear. */
  readonly name?: string
  /** Slug of the data role whose policies decide who may decrypt the file. */
  readonly role?: string
  /** Called after each part with how much of the content is stored, in bytes. */
  readonly onProgress?: (bytes: number) => void
}

export interface DownloadOptions extends CallOptions {
  /** Where to begin, in bytes. Default: 0. */
  readonly start?: number
  /** Where to end: the first byte that is not wanted. Default: the file's end. */
  readonly end?: number
  /**
   * Whether each piece is emptied when the next one is asked for, so that its memory is free at once. Engines collect such
   * buffers late, some 64 MB of them. Default: no; the pieces are yours
   */
  readonly freesPieces?: boolean
}

/** Files of any size, sealed on their way to the storage. */
export interface Files {
  /**
   * Seals a file and sends it to the storage in parts, of which one is in memory. A Blob of a file on disk
   * (`fs.openAsBlob` of Node.js) is read as it is sent.
   *
   * @throws ApiError if the service refuses the file, ConnectionError if the storage does not accept it
   */
  upload(content: Blob, options?: UploadOptions): Promise<StoredFile>
  /**
   * Reads a file, or a part of it, and decrypts it. Each piece is authentic; when the last one has come, nothing is
   * missing.
   *
   * @throws ApiError `decrypt/forbidden` if a policy does not permit it
   * @throws DamagedFileError if the stored file is damaged
   */
  download(id: string, options?: DownloadOptions): AsyncGenerator<Uint8Array<ArrayBuffer>, void, void>
}
