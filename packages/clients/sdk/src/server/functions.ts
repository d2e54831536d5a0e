import {
  type AsynchronousFunctionRun,
  createRunToken,
  getFunctionRun,
  type RunToken,
} from "../api/generated/index.ts"
import { createRunFunction, type RunFunction } from "../functions/run-function.ts"
import { requireObject } from "../requests/json-arguments.ts"
import type { CallOptions, Transport } from "../requests/transport.ts"

/** Runs functions, and issues tokens for running them. */
export interface Functions {
  /**
   * Runs a function with a payload whose tokens are decrypted for it. A run that fails in its code is returned too, with
   * the status `failure`. With `async`, it is only queued.
   */
  readonly run: RunFunction
  /** Returns the state of an asynchronous run. */
  getRun(name: string, runId: string, options?: CallOptions): Promise<AsynchronousFunctionRun>
  /** Issues a token with which a browser runs the function once, with this payload. */
  createRunToken(name: string, payload: object, options?: CallOptions): Promise<RunToken>
}

export function createFunctions(transport: Transport): Functions {
  return {
    run: createRunFunction(transport),
    getRun: (functionName, runId, options) => getFunctionRun(transport, { functionName, runId }, options),
    async createRunToken(functionName, payload, options) {
      requireObject("payload", payload)
      return createRunToken(
        transport,
        { functionName, body: { payload: payload as Readonly<Record<string, unknown>> } },
        options,
      )
    },
  }
}
