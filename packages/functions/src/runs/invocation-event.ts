import { childTraceparent, type TraceContext } from "@sealway/kernel"
import type { App, PublicKeyVersion } from "@sealway/platform"
import { uncompressPublicKey } from "@sealway/tokens"
import type { RuntimeInvocation } from "../runtimes/invocation.ts"

export interface InvokedRun {
  readonly functionName: string
  readonly runId: string
  /** The trace that the run belongs to; null for none. */
  readonly trace: TraceContext | null
  /** Whether the payload has values of data subjects, of which nothing must get into a log. */
  readonly hasSubjects: boolean
}

/**
 * Writes the event that a function is called with, see `RuntimeInvocation`.
 *
 * @param payload JSON, passed on byte for byte
 * @param keys the newest keys, which `context.encrypt` seals to
 */
export function invocationEvent(
  app: App,
  keys: Pick<PublicKeyVersion, "publicKeys">,
  { trace, hasSubjects, ...run }: InvokedRun,
  payload: Uint8Array,
): Buffer {
  const point = uncompressPublicKey("prime256v1", keys.publicKeys.prime256v1)
  const context: RuntimeInvocation["context"] = {
    ...run,
    app: app.id,
    ...(trace !== null && { traceparent: childTraceparent(trace) }),
    ...(trace?.tracestate != null && { tracestate: trace.tracestate }),
    publicKey: {
      ecdhP256KeyUncompressed: point.toString("base64"),
      debug: app.environment === "sandbox",
    },
  }
  return Buffer.concat([
    Buffer.from('{"payload":'),
    payload,
    Buffer.from(`,"context":${JSON.stringify(context)}${hasSubjects ? ',"isSilent":true' : ""}}`),
  ])
}
