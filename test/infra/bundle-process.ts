/**
 * A process that does what the Lambda runtime does: it loads `index.js` from a function's folder, and calls its handler
 * with the event that it is sent.
 */
import { createRequire } from "node:module"
import { LAMBDA_CONTEXT } from "../support/proxy-event.ts"

/** What the process answers: that the function was loaded, and later what the handler returned. */
export type Outcome = { readonly result: unknown } | { readonly error: string }

// Lambda's, for functions that stream.
Object.assign(globalThis, {
  awslambda: { streamifyResponse: (handler: unknown) => handler, HttpResponseStream: {} },
})

const [file = ""] = process.argv.slice(2)
const load = async () => createRequire(import.meta.url)(file)

async function reply(outcome: Promise<unknown>): Promise<void> {
  process.send?.(
    await outcome.then(
      (result) => ({ result }),
      (error) => ({ error: error instanceof Error ? (error.stack ?? "") : String(error) }),
    ),
  )
}

process.on("message", ({ event }: { readonly event: unknown }) =>
  reply(load().then(({ handler }) => (event === null ? typeof handler : handler(event, LAMBDA_CONTEXT)))),
)
