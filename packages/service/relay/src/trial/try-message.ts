import { isUtf8 } from "node:buffer"
import type { App } from "@sealway/accounts"
import { eachHeader, type RawHeaders } from "@sealway/kernel"
import {
  type CompiledRelay,
  MESSAGE_LIMITS,
  type Message,
  MessageReport,
  type Operations,
  RelayError,
  type SelectionActivity,
  transformMessage,
} from "@sealway/relay-engine"
import type { CipherDependencies } from "../cipher/create-message-cipher.ts"
import { hasLiteralPrefix } from "../management/literal-prefix.ts"
import { bodyMemoryOf } from "./body-memory-of.ts"
import { createDryCipher, type TrialMeans } from "./dry-cipher.ts"
import { selectedPlaces } from "./selected-places.ts"

/** A larger body is not shown: two of them, with each byte escaped, must fit into an answer of Lambda. */
const MAX_SHOWN_BYTES = 400_000

export interface TriedSelection extends SelectionActivity {
  /** The places of the selected values in the body: the first 20. */
  readonly paths: readonly string[]
  /** Whether the other common JSONPath dialect selects other values. */
  readonly isAmbiguous: boolean
  /** Whether a document can bypass it with another prefix for the same namespace. */
  readonly hasLiteralPrefix: boolean
}

/** What would be forwarded of a message. */
export interface PassedMessage {
  /** Path and query of a request; null for a response. */
  readonly target: string | null
  readonly headers: readonly { readonly name: string; readonly value: string }[]
  readonly body: Buffer | null
  readonly isBodyChanged: boolean
  /** The body is omitted, because it is larger than 400 kB. */
  readonly isTooLargeToShow: boolean
}

/** The result for a sample. */
export interface MessageTrial {
  /** The forwarded message, or the answer to its sender. */
  readonly outcome: PassedMessage | RelayError
  readonly selections: readonly TriedSelection[]
  /** Paths of card numbers that no selection selects, whether or not the relay looks for them. */
  readonly leaks: readonly string[]
}

/** Processes a sample like a live message, without sending it anywhere or opening any token. */
export async function tryMessage(
  dependencies: CipherDependencies,
  { app, relayId }: { readonly app: App; readonly relayId: string },
  relay: CompiledRelay,
  operations: Operations,
  message: Message & { readonly body: Buffer | null },
  means: TrialMeans,
): Promise<MessageTrial> {
  const { direction } = message
  const { task } = means
  const report = new MessageReport(operations)
  const outcome = await orRelayError(async () => {
    const changed = await transformMessage(message, operations, {
      compiled: { ...relay, leakWatch: relay.leakWatch === "off" ? "alert" : relay.leakWatch },
      cipher: createDryCipher(dependencies, app, relayId, direction, means),
      limits: MESSAGE_LIMITS,
      report,
      memory: await bodyMemoryOf(task, message),
      turns: task,
    })
    const { body } = changed
    const bytes = body === null || Buffer.isBuffer(body) ? body : Buffer.concat(await Array.fromAsync(body))
    const isTooLargeToShow = bytes !== null && bytes.length > MAX_SHOWN_BYTES
    return {
      target: changed.target,
      headers: pairsOf(changed.rawHeaders),
      body: isTooLargeToShow ? null : bytes,
      isBodyChanged: changed.isBodyChanged,
      isTooLargeToShow,
    }
  })
  const { paths, ambiguousSelectors } = await selectedPlaces(message, operations, task)
  return {
    outcome,
    selections: report.selections.map((selection, index) => ({
      ...selection,
      paths: paths.get(index) ?? [],
      isAmbiguous: selection.type === "json" && ambiguousSelectors.has(selection.selector),
      hasLiteralPrefix: hasLiteralPrefix(operations.list[index]?.selection),
    })),
    leaks: report.leaks.map(({ path }) => path),
  }
}

/** Returns the result of `run`, or the relay's refusal that it throws. */
export async function orRelayError<Value>(run: () => Value | Promise<Value>): Promise<Value | RelayError> {
  try {
    return await run()
  } catch (error) {
    if (error instanceof RelayError) return error
    throw error
  }
}

/** Encodes a body for JSON. */
export function showBody(body: Buffer | null): { body: string | null; encoding: "utf-8" | "base64" } {
  if (body === null) return { body, encoding: "utf-8" }
  return isUtf8(body)
    ? { body: body.toString(), encoding: "utf-8" }
    : { body: body.toString("base64"), encoding: "base64" }
}

function pairsOf(rawHeaders: RawHeaders): { name: string; value: string }[] {
  const pairs: { name: string; value: string }[] = []
  eachHeader(rawHeaders, (name, value) => pairs.push({ name, value }))
  return pairs
}
