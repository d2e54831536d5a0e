import { MAX_DOCUMENT_BYTES, MAX_PLAIN_FILE_BYTES } from "@sealway/kernel"

/** The limits of a multipart body. */
export interface MultipartLimits {
  /** Default: 1,000. */
  readonly maxParts: number
  /** For one part's headers. Default: 16,384. */
  readonly maxHeadBytes: number
  /** For each part that has a filename. Default: `MAX_PLAIN_FILE_BYTES`. */
  readonly maxFileBytes: number
  /** For all the rest together: fields, headers, boundaries. Default: `MAX_DOCUMENT_BYTES`. */
  readonly maxOtherBytes: number
  /**
   * Whether text may precede the first part. Go (`json.NewDecoder`) and others that ignore the type would read a document
   * there, and nothing else. Default: true.
   */
  readonly allowsPreamble: boolean
}

export const DEFAULT_MULTIPART_LIMITS: MultipartLimits = {
  maxParts: 1_000,
  maxHeadBytes: 16_384,
  maxFileBytes: MAX_PLAIN_FILE_BYTES,
  maxOtherBytes: MAX_DOCUMENT_BYTES,
  allowsPreamble: true,
}
