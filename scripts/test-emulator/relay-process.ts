/**
 * A process that does what Lambda's runtime does with a function that streams its answer: `relay-process.ts <index.js> <event>`.
 * Prints the head and the body of the answer.
 */
import { createRequire } from "node:module"
import { PassThrough, type Writable } from "node:stream"
import { text } from "node:stream/consumers"

const [file = "", event = ""] = process.argv.slice(2)
let head: unknown = null
Object.assign(globalThis, {
  awslambda: {
    streamifyResponse: (handler: unknown) => handler,
    HttpResponseStream: {
      from(output: Writable, given: unknown) {
        head = given
        return output
      },
    },
  },
})
const { handler } = createRequire(import.meta.url)(file)
const output = new PassThrough()
const body = text(output)
await handler(JSON.parse(event), output, {})
process.stdout.write(`${JSON.stringify({ head, body: await body })}\n`)
process.exit(0)
