import type { ErrorCode3DS } from "./erro.ts"

/** Why a message cannot be processed. */
export class MessageProblem extends Error {
  override readonly name = "MessageProblem"
  readonly code: ErrorCode3DS
  /** Names elements, and repeats no values. */
  readonly detail: string

  constructor(code: ErrorCode3DS, detail: string) {
    super(`The 3-D Secure message cannot be processed: ${code} ${detail}`)
    this.code = code
    this.detail = detail
  }
}
