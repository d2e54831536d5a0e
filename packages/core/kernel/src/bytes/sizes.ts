/** One KB in bytes. Every limit in KB or MB in a text uses these units. */
export const KB = 1_024

/** One MB in bytes. */
export const MB = 1_024 * KB

/** The largest document of values: JSON, XML or a form, before anything in it is encrypted. */
export const MAX_DOCUMENT_BYTES = 5 * MB

/** The largest file, before it is encrypted. For API Gateway's lower limit see `MAX_FILE_BYTES`. */
export const MAX_PLAIN_FILE_BYTES = 25 * MB

/** How many values of one document are sealed: a token takes about 130 bytes, and a value may take one. */
export const MAX_SEALED_VALUES = 250_000
