import { type RelayErrorCode, SealwayError } from "@sealway/kernel"

/** Where on its way a request met an error. */
export type ExchangeStage = "request" | "destination" | "response"

interface RelayErrorOptions extends ErrorOptions {
  /** Default: `request`. */
  readonly stage?: ExchangeStage
  /** When a repetition may succeed, in whole seconds. Default: null, the usual time of the code. */
  readonly retryAfterSeconds?: number | null
}

/** A request that a relay answers itself. Its message is sent to the caller as `detail`; its cause is not. */
export class RelayError extends SealwayError {
  override readonly name = "RelayError"
  override readonly code: RelayErrorCode
  readonly stage: ExchangeStage
  readonly retryAfterSeconds: number | null

  constructor(
    code: RelayErrorCode,
    detail: string,
    { stage = "request", retryAfterSeconds = null, ...options }: RelayErrorOptions = {},
  ) {
    super(code, detail, options)
    this.code = code
    this.stage = stage
    this.retryAfterSeconds = retryAfterSeconds
  }
}
