import { z } from "zod"

/**
 * What the wrapper needs to seal values to the app's public key without calling the service. It is part of each
 * invocation, so a rotated key is used from the next run on.
 */
export interface RuntimePublicKey {
  /** The app's P-256 key: the uncompressed point (0x04, x, y), 65 bytes, in base64. */
  readonly ecdhP256KeyUncompressed: string
  /** True for sandbox apps, whose tokens carry `debug`. */
  readonly debug: boolean
}

/** The JSON event that a function's Lambda is invoked with. */
export interface RuntimeInvocation {
  /** The handler's first argument. Any JSON. */
  readonly payload: unknown
  readonly context: {
    readonly functionName: string
    readonly runId: string
    readonly app: string
    readonly publicKey: RuntimePublicKey
    /** The headers of the trace that the run belongs to (W3C Trace Context); absent for none. */
    readonly traceparent?: string
    readonly tracestate?: string
  }
  /**
   * Whether the payload has values of data subjects: the process then prints nothing any more, because an erasure does not
   * reach what is in a log. Absent for no.
   */
  readonly isSilent?: true
}

/**
 * The wrapper's answer. Everything that goes wrong in the customer's code without ending the process is a `failure`: an
 * error thrown by the handler, a module that does not load (`initialisation` is true; the message starts with "The
 * function failed to initialise: "), a result that is not JSON. Exits, timeouts and exhausted memory are reported by
 * the Lambda API instead (`FunctionError`). The message holds 4,096 characters at most, the stack 16,384.
 */
export const runtimeAnswer = z.discriminatedUnion("status", [
  z.object({ status: z.literal("success"), result: z.json() }),
  z.object({
    status: z.literal("failure"),
    error: z.object({ message: z.string(), stack: z.string() }),
    initialisation: z.boolean(),
  }),
])

export type RuntimeAnswer = z.infer<typeof runtimeAnswer>
