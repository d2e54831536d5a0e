/**
 * A process that does what the Lambda runtime does: it loads `index.js` from a function's folder and calls its
 * handler. It runs many functions, one after another, so that one process is enough.
 */
import { pathToFileURL } from "node:url"
import { LAMBDA_CONTEXT } from "../support/proxy-event.ts"

/** A message to the process. */
export interface Invocation {
  readonly number: number
  /** Path of an `index.js`. */
  readonly file: string
  readonly event: unknown
}

/** A message from the process. */
export type Outcome =
  | { readonly number: number; readonly result: unknown }
  | { readonly number: number; readonly error: string }

process.on("message", ({ number, file, event }: Invocation) => {
  invoke(file, event).then(
    (result) => reply({ number, result }),
    (error) => reply({ number, error: error instanceof Error ? (error.stack ?? "") : String(error) }),
  )
})

async function invoke(file: string, event: unknown): Promise<unknown> {
  const { handler } = await import(pathToFileURL(file).href)
  return handler(event, LAMBDA_CONTEXT)
}

function reply(outcome: Outcome): void {
  process.send?.(outcome)
}
