/**
 * A process that does what the Lambda runtime does: it imports `index.mjs` from a function's folder and calls its
 * handler. Of many functions, one after another, so that one process will do for all.
 */
import { pathToFileURL } from "node:url"
import { LAMBDA_CONTEXT } from "../support/proxy-event.ts"

/** What it is sent. */
export interface Invocation {
  readonly number: number
  /** Path of an `index.mjs`. */
  readonly file: string
  readonly event: unknown
}

/** What it sends back. */
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
