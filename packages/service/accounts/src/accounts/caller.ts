import type { TraceContext } from "@sealway/kernel"
import * as z from "zod"

/** The actor, as the audit log names it. `system` is the service itself. */
export const actorSchema = z.object({
  type: z.enum(["api-key", "team-key", "client-side-token", "run-token", "enclave", "member", "system"]),
  id: z.string(),
})

export type Actor = Readonly<z.infer<typeof actorSchema>>

/** The sender of a request. */
export interface Caller {
  /** Null for endpoints without authentication. */
  readonly actor: Actor | null
  /** IPv4, or IPv6 that is not IPv4-mapped. Set by the gateway: no header of the caller can change it. */
  readonly ip: string
  readonly requestId: string
  /** The trace that the request belongs to; null for none. */
  readonly trace: TraceContext | null
}
