import { type RelayErrorCode, SealwayError } from "@sealway/kernel"

/** Where on its way a request met an error. */
export type ExchangeStage = "request" | "destination" | "response"

interface RelayErrorOptions extends ErrorOptions {
  /** Default: `request`. */
  readonly stage?: ExchangeStage
}

/** A request that a relay answers itself. Its message is sent to the caller as `detail`; its cause is not. */
export class RelayError extends SealwayError {
  override readonly name = "RelayError"
  override readonly code: RelayErrorCode
  readonly stage: ExchangeStage

  constructor(
    code: RelayErrorCode,
    detail: string,
    { stage = "request", ...options }: RelayErrorOptions = {},
  ) {
    super(code, detail, options)
    this.code = code
    this.stage = stage
  }
}
