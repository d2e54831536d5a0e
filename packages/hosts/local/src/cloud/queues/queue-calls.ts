import { type QueueName, type QueueSender, UnavailableError } from "@sealway/ports"
import * as z from "zod"
import type { Call } from "../calls/create-caller.ts"
import type { Methods } from "../calls/serve-calls.ts"

/**
 * Returns the method by which another process sends to queues of this one.
 *
 * @param names those that it may send to
 */
export function queueMethods(queues: QueueSender, names: readonly QueueName[]): Methods {
  const inputSchema = z.object({
    queue: z.enum(names),
    message: z.record(z.string(), z.unknown()),
    delaySeconds: z.number(),
  })
  return new Map([
    [
      "queues.send",
      async (input: unknown) => {
        const { queue, message, delaySeconds } = inputSchema.parse(input)
        await queues.send(queue, message, { delaySeconds })
        return null
      },
    ],
  ])
}

/** The queues of the process that serves `queueMethods`. A message whose call gets no answer may have been sent. */
export function queuesOver(call: Call): QueueSender {
  return {
    async send(queue, message, { delaySeconds = 0 } = {}) {
      try {
        await call("queues.send", { queue, message, delaySeconds })
      } catch (error) {
        const { name, message } = error instanceof Error ? error : new Error("The queues cannot be reached.")
        if (name === "TypeError" || name === "ZodError") throw new TypeError(message)
        throw new UnavailableError(message, { cause: error })
      }
    },
  }
}
