import * as z from "zod"

/** Who acts, as the audit log names it. `system` is the service itself. */
export const actorSchema = z.object({
  type: z.enum(["api-key", "team-key", "client-side-token", "run-token", "system"]),
  id: z.string(),
})

export type Actor = Readonly<z.infer<typeof actorSchema>>

/** Who sends a request, and from where. */
export interface Caller {
  /** Null where anybody may call. */
  readonly actor: Actor | null
  /** IPv4, or IPv6 that is not IPv4 in disguise. Told by the gateway: no header of the caller has a say in it. */
  readonly ip: string
  readonly requestId: string
}
