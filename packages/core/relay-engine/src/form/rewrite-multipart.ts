import { isUtf8 } from "node:buffer"
import type { MaybePromise } from "@sealway/kernel"
import { UnreadableBodyError } from "../body/located-body.ts"
import { BoundaryGuard } from "./boundary-guard.ts"
import type { MultipartLimits } from "./multipart-limits.ts"
import { type MultipartEvent, MultipartScanner } from "./multipart-scanner.ts"
import type { PartHead } from "./part-head.ts"

/** What to do with a part. Its headers always pass unchanged. */
export type PartRewrite =
  | "pass"
  /** Holds it in memory for inspection, and passes it on. */
  | { readonly look: (content: Buffer) => MaybePromise<void> }
  /** Holds it in memory; UTF-8 when it is a field. */
  | { readonly value: (content: Buffer) => Promise<Buffer> }
  /** Streams it. Unread content is dropped. */
  | { readonly file: (content: AsyncIterable<Buffer>) => AsyncIterable<Buffer> }

/**
 * Rewrites the parts of a multipart/form-data body as a stream: memory does not grow with the body. Bytes outside the
 * rewritten parts' contents are those of the source. Ends, and closes the source, when its reader does.
 *
 * @throws UnreadableBodyError when the body is malformed, beyond a limit, or a part to rewrite is in an unreadable
 * charset or transfer encoding
 * @throws UnwritableValueError when the new content of a part contains the boundary
 */
export async function* rewriteMultipart(
  source: AsyncIterable<Buffer>,
  boundary: string,
  rewrite: (part: PartHead) => PartRewrite,
  limits: Partial<MultipartLimits> = {},
): AsyncGenerator<Buffer, void, undefined> {
  const events = scan(source, boundary, limits)
  try {
    for (let next = await events.next(); next.done !== true; next = await events.next()) {
      const event = next.value
      if (event.kind === "head") yield* rewritePart(event.head, events, boundary, rewrite(event.head))
      else if (event.kind !== "end-of-part") yield event.bytes
    }
  } finally {
    await events.return()
  }
}

type Events = AsyncGenerator<MultipartEvent, void, undefined>

async function* scan(
  source: AsyncIterable<Buffer>,
  boundary: string,
  limits: Partial<MultipartLimits>,
): Events {
  const scanner = new MultipartScanner(boundary, limits)
  for await (const chunk of source) yield* scanner.push(chunk)
  yield* scanner.finish()
}

async function* rewritePart(head: PartHead, events: Events, boundary: string, rewrite: PartRewrite) {
  if (rewrite === "pass") return
  if ("look" in rewrite) {
    const content = await collect(contentOf(events))
    await rewrite.look(content)
    yield content
    return
  }
  if (!head.readable) throw malformed("A part to rewrite uses an unsupported encoding.")
  const guard = new BoundaryGuard(boundary)
  if ("value" in rewrite) {
    const content = await collect(contentOf(events))
    if (head.filename === null && !isUtf8(content)) throw malformed("A field to rewrite is not UTF-8.")
    const value = await rewrite.value(content)
    guard.check(value)
    yield value
    return
  }
  const content = contentOf(events)
  for await (const chunk of rewrite.file(content)) {
    guard.check(chunk)
    yield chunk
  }
  await content.drain()
}

interface PartContent extends AsyncIterable<Buffer> {
  /** Reads on to the end of the part, unless that is done. */
  drain(): Promise<void>
}

/** Yields the content of the part whose head came last. Stopping to read it does not end the body. */
function contentOf(events: Events): PartContent {
  let ended = false
  const next = async (): Promise<Buffer | null> => {
    const event = ended ? null : await events.next()
    if (event === null || event.done === true || event.value.kind !== "content") {
      ended = true
      return null
    }
    return event.value.bytes
  }
  return {
    async *[Symbol.asyncIterator]() {
      for (let bytes = await next(); bytes !== null; bytes = await next()) yield bytes
    },
    async drain() {
      while ((await next()) !== null) {
        // Unwanted content.
      }
    },
  }
}

async function collect(content: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of content) chunks.push(chunk)
  return Buffer.concat(chunks)
}

function malformed(detail: string): UnreadableBodyError {
  return new UnreadableBodyError("malformed", detail)
}
