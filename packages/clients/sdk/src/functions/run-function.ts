import type { FunctionRun } from "../api/generated/schemas.ts"
import { ConnectionError } from "../errors/errors.ts"
import { requireObject } from "../requests/json-arguments.ts"
import { pathSegment } from "../requests/path-segment.ts"
import type { AnswerHeaders, CallOptions, Transport } from "../requests/transport.ts"

/** A run that the service has queued. */
export interface ScheduledRun {
  readonly status: "scheduled"
  /** With it, `functions.getRun` returns the run. */
  readonly runId: string
}

/** Runs a function, now or, with `async`, later. */
export interface RunFunction {
  (name: string, payload: object, options?: CallOptions & { readonly async?: false }): Promise<FunctionRun>
  (name: string, payload: object, options: CallOptions & { readonly async: true }): Promise<ScheduledRun>
}

type AnyRun = (
  name: string,
  payload: object,
  options?: CallOptions & { readonly async?: boolean },
) => Promise<FunctionRun | ScheduledRun>

export function createRunFunction(transport: Transport): RunFunction {
  const run: AnyRun = async (name, payload, { async = false, ...options } = {}) => {
    requireObject("payload", payload)
    const answer = await transport.send(
      {
        method: "POST",
        path: `/functions/${pathSegment("name", name)}/runs`,
        body: { contentType: "application/json", content: JSON.stringify({ payload, async }) },
        takesIdempotencyKey: true,
        isRepeatable: true,
      },
      options,
    )
    return answer.status === 202 ? scheduled(answer.headers) : (answer.content as FunctionRun)
  }
  return run as RunFunction
}

function scheduled(headers: AnswerHeaders): ScheduledRun {
  const runId = headers.get("location")?.split("/").at(-1)
  if (runId === undefined || runId === "") {
    throw new ConnectionError("unexpected-response", "The answer does not name the run.")
  }
  return { status: "scheduled", runId }
}
