/** What a multipart body may hold. */
export interface MultipartLimits {
  /** Default: 1,000. */
  readonly maxParts: number
  /** Of one part's headers. Default: 16,384. */
  readonly maxHeadBytes: number
  /** Of each part that has a filename. Default: 25,000,000. */
  readonly maxFileBytes: number
  /** Of all the rest together: fields, headers, boundaries. Default: 5,000,000. */
  readonly maxOtherBytes: number
}

export const DEFAULT_MULTIPART_LIMITS: MultipartLimits = {
  maxParts: 1_000,
  maxHeadBytes: 16_384,
  maxFileBytes: 25_000_000,
  maxOtherBytes: 5_000_000,
}
