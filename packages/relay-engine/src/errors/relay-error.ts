import { type RelayErrorCode, SealwayError } from "@sealway/kernel"

/** Where in its way a request met an error. */
export type ExchangeStage = "request" | "destination" | "response"

interface RelayErrorOptions extends ErrorOptions {
  /** Default: `request`. */
  readonly stage?: ExchangeStage
}

/** A request that a relay answers itself. Its message goes to the caller as `detail`; its cause goes nowhere. */
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
