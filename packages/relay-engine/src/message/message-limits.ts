/** What of a message is taken in, in bytes. */
export interface MessageLimits {
  /** Of a body that is read as a whole, decoded; of a multipart body, all but its files. */
  readonly maxBodyBytes: number
  /** Of each file of a multipart body. */
  readonly maxFileBytes: number
  /** Of a whole multipart body, decoded. */
  readonly maxMultipartBytes: number
}

/** The specification's (Limits; a MB is 1,000,000 bytes). */
export const MESSAGE_LIMITS: MessageLimits = {
  maxBodyBytes: 5_000_000,
  maxFileBytes: 25_000_000,
  maxMultipartBytes: 30_000_000,
}
