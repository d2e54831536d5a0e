/**
 * A process that does what Lambda's runtime does with a function that streams its answer: `relay-process.ts <index.mjs> <event>`.
 * Prints the head and the body of the answer.
 */
import { PassThrough, type Writable } from "node:stream"
import { text } from "node:stream/consumers"
import { pathToFileURL } from "node:url"

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
const { handler } = await import(pathToFileURL(file).href)
const output = new PassThrough()
const body = text(output)
await handler(JSON.parse(event), output, {})
process.stdout.write(`${JSON.stringify({ head, body: await body })}\n`)
process.exit(0)
