import type { ProblemCode } from "./generated/problem-code.ts"

/** What can go wrong without an answer of the service. */
export type ConnectionErrorCode =
  /** The network failed, or the service is not there. */
  | "connection-failed"
  /** No complete answer came within `timeoutMs`. */
  | "connection-timeout"
  /** The answer is larger than `maxResponseBytes`. */
  | "response-too-large"
  /** The answer is not one of Sealway's: a redirect, for example, or the page of a proxy. */
  | "unexpected-response"
  /** A webhook's signature is wrong. */
  | "invalid-signature"
  /** A stored file is damaged, or is another one. */
  | "damaged-file"
  /** A frame did not answer: the page's origin is not among the app's `allowedOrigins`, or the service is not there. */
  | "frame-refused"
  /** A frame was removed before it answered. */
  | "frame-removed"
  /** A field in a frame is empty or invalid. */
  | "invalid-fields"
  /** A frame could not encrypt. */
  | "encryption-failed"

/** A code of the service, or of the connection to it. A later version of the service may send codes that are not listed. */
export type ErrorCode = ProblemCode | ConnectionErrorCode | (string & {})
