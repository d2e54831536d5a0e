import { MAX_DOCUMENT_BYTES, MAX_PLAIN_FILE_BYTES } from "@sealway/kernel"

/** What a multipart body may hold. */
export interface MultipartLimits {
  /** Default: 1,000. */
  readonly maxParts: number
  /** Of one part's headers. Default: 16,384. */
  readonly maxHeadBytes: number
  /** Of each part that has a filename. Default: `MAX_PLAIN_FILE_BYTES`. */
  readonly maxFileBytes: number
  /** Of all the rest together: fields, headers, boundaries. Default: `MAX_DOCUMENT_BYTES`. */
  readonly maxOtherBytes: number
}

export const DEFAULT_MULTIPART_LIMITS: MultipartLimits = {
  maxParts: 1_000,
  maxHeadBytes: 16_384,
  maxFileBytes: MAX_PLAIN_FILE_BYTES,
  maxOtherBytes: MAX_DOCUMENT_BYTES,
}
