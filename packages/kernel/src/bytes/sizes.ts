/** A KB, in bytes. Every limit that a text gives in KB or MB is counted by these. */
export const KB = 1_024

/** A MB, in bytes. */
export const MB = 1_024 * KB

/** The largest document of values: JSON, XML or a form, before anything in it is encrypted. */
export const MAX_DOCUMENT_BYTES = 5 * MB

/** The largest file, before it is encrypted. Behind API Gateway, which hands on less, see `MAX_FILE_BYTES`. */
export const MAX_PLAIN_FILE_BYTES = 25 * MB

/** How many values of one document are sealed: a token is some 130 bytes, and a value may be one. */
export const MAX_SEALED_VALUES = 250_000
