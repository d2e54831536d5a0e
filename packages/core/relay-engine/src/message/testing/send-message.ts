import type { Readable } from "node:stream"
import { processTurns, type Turns } from "@sealway/kernel"
import type { LeakWatch } from "../../body/leak-watch.ts"
import { RelayError } from "../../errors/relay-error.ts"
import type { Action, Selection, SelectionType } from "../../operations/selection.ts"
import { compileRelay, type RelayOptions } from "../../routes/compile-relay.ts"
import { matchRoutes } from "../../routes/match-routes.ts"
import type { MessageCipher } from "../message-cipher.ts"
import { MESSAGE_LIMITS } from "../message-limits.ts"
import { MessageReport } from "../message-report.ts"
import { transformMessage } from "../transform-message.ts"

/** Creates an action with one selection. */
export function action(
  kind: Action["action"],
  type: SelectionType,
  selector: string,
  role: string | null = null,
): Action {
  const selection: Selection = { type, selector, role }
  return { action: kind, selections: [selection] }
}

export interface TestMessage {
  readonly actions: readonly Action[]
  readonly body?: Buffer | Readable | string | null
  readonly contentType?: string
  readonly headers?: readonly string[]
  readonly target?: string
  /** The method of another route for the same path. Default: there is none. */
  readonly otherMethod?: string
  /** The request's own method. Default: POST. */
  readonly sentMethod?: string
  readonly direction?: "request" | "response"
  readonly contentLength?: number | null
  readonly encryptEmptyStrings?: boolean
  readonly leakWatch?: LeakWatch
  readonly caseSensitiveNames?: boolean
  readonly unknownContentTypes?: RelayOptions["unknownContentTypes"]
  readonly unencryptableErrors?: RelayOptions["unencryptableErrors"]
  readonly passContentTypes?: RelayOptions["passContentTypes"]
  /** The response's status. Default: 200. */
  readonly status?: number
  readonly limits?: Partial<typeof MESSAGE_LIMITS>
  /** Receives the pieces of a streamed body, of which nothing is kept then. */
  readonly onPiece?: (piece: Buffer) => void
  /** Default: the process's. */
  readonly turns?: Turns
}

/** Sends a message through a relay whose only route has some actions. */
export async function sendMessage(cipher: MessageCipher, message: TestMessage) {
  const { actions, contentType, headers = [], target = "/", direction = "request", otherMethod } = message
  const { encryptEmptyStrings = true, leakWatch = "off", limits = {}, turns = processTurns } = message
  const {
    caseSensitiveNames = false,
    unknownContentTypes = "refuse",
    unencryptableErrors = "refuse",
    passContentTypes = [],
  } = message
  const body = typeof message.body === "string" ? Buffer.from(message.body) : (message.body ?? null)
  const other = direction === "request" ? "response" : "request"
  const compiled = compileRelay({
    routes: [
      { method: null, path: "/**", request: [], response: [], [direction]: actions, [other]: [] },
      ...(otherMethod === undefined ? [] : [{ method: otherMethod, path: "/**", request: [], response: [] }]),
    ],
    encryptEmptyStrings,
    leakWatch,
    caseSensitiveNames,
    unknownContentTypes,
    unencryptableErrors,
    unmatched: "refuse",
    passContentTypes,
  })
  const rawHeaders = [...(contentType === undefined ? [] : ["Content-Type", contentType]), ...headers]
  const request = { method: message.sentMethod ?? "POST", target, rawHeaders }
  const operations = matchRoutes(compiled, request)[direction]
  const report = new MessageReport(operations)
  const { contentLength = Buffer.isBuffer(body) ? body.length : null } = message
  const options = { compiled, cipher, limits: { ...MESSAGE_LIMITS, ...limits }, report, turns }
  const isRequest = direction === "request"
  const place = isRequest
    ? { method: message.sentMethod ?? "POST", target, status: null }
    : { method: null, target: null, status: message.status ?? 200 }
  const sent = { direction, ...place, rawHeaders, body, contentLength }
  let error: RelayError | null = null
  let transformed = null
  let bytes: Buffer | null = null
  try {
    transformed = await transformMessage(sent, operations, options)
    bytes = await bytesOf(transformed.body, message.onPiece)
  } catch (thrown) {
    if (!(thrown instanceof RelayError)) throw thrown
    error = thrown
  }
  return { ...transformed, bytes, text: bytes?.toString() ?? null, error, report }
}

async function bytesOf(
  body: Buffer | Readable | null,
  onPiece: ((piece: Buffer) => void) | undefined,
): Promise<Buffer | null> {
  if (body === null || Buffer.isBuffer(body)) return body
  const chunks: Buffer[] = []
  for await (const chunk of body) {
    if (onPiece === undefined) chunks.push(chunk)
    else onPiece(chunk)
  }
  return Buffer.concat(chunks)
}
