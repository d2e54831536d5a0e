import type { App } from "@sealway/accounts"
import { childTraceparent, type TraceContext } from "@sealway/kernel"
import type { PublicKeyVersion } from "@sealway/keys"
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

/** How the event of a run ends that got values of data subjects. */
const SILENT = ',"isSilent":true}'

/** Whether the event tells the process to print nothing any more, see `RuntimeInvocation`. */
export function isSilencing(event: Uint8Array): boolean {
  return Buffer.from(event.subarray(-SILENT.length)).equals(Buffer.from(SILENT))
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
    publicKey: { ecdhP256KeyUncompressed: point.toString("base64"), debug: app.environment === "sandbox" },
  }
  return Buffer.concat([
    Buffer.from('{"payload":'),
    payload,
    Buffer.from(`,"context":${JSON.stringify(context)}${hasSubjects ? SILENT : "}"}`),
  ])
}
