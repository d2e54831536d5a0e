import { z } from "zod"

/**
 * What the wrapper needs to seal values to the app's public key, without a call home. Goes with each invocation, so
 * a rotated key is used from the next run on.
 */
export interface RuntimePublicKey {
  /** The app's P-256 key: the uncompressed point (0x04, x, y), 65 bytes, in base64. */
  readonly ecdhP256KeyUncompressed: string
  /** True for sandbox apps: their tokens say `debug`. */
  readonly debug: boolean
}

/** The event that a function's Lambda is invoked with, as JSON. */
export interface RuntimeInvocation {
  /** The handler's first argument. Any JSON. */
  readonly payload: unknown
  readonly context: {
    readonly functionName: string
    readonly runId: string
    readonly app: string
    readonly publicKey: RuntimePublicKey
  }
}

/**
 * What the wrapper answers. Everything that goes wrong in the customer's code without ending the process is a
 * `failure`: what the handler throws, a module that does not load (`initialisation` is true; the message begins with
 * "The function failed to initialise: "), a result that is not JSON. Exits, timeouts and exhausted memory are told by
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
