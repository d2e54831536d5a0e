import { readStream } from "../requests/read-stream.ts"
import type { ApiRequest, CallOptions, RequestBody, Transport } from "../requests/transport.ts"
import { viewOfBytes } from "../sealing/bytes.ts"

/** What a document becomes: a file stays a file of its kind, anything else is JSON. */
export type Converted<Data, Result> = Data extends Uint8Array | ArrayBuffer
  ? Uint8Array<ArrayBuffer>
  : Data extends Blob
    ? Blob
    : Data extends ReadableStream
      ? ReadableStream<Uint8Array<ArrayBuffer>>
      : Result

/** No file that the service opens is larger: 25 MB, and some bytes for being encrypted. */
const MAX_STREAM_BYTES = 26 * 1_048_576

/**
 * Sends JSON or a file to an endpoint that answers with the same in another form. A stream is read to its end first: the
 * service limits files to a size that fits into memory.
 *
 * @throws RangeError if a stream is larger than any file that the service takes
 */
export async function convertDocument<Data, Result>(
  transport: Transport,
  { path, headers = {} }: Pick<ApiRequest, "path" | "headers">,
  data: Data,
  options?: CallOptions,
): Promise<Converted<Data, Result>> {
  const body = await bodyOf(data)
  const { content } = await transport.send(
    { method: "POST", path, headers, body, isRepeatable: true },
    options,
  )
  return asKindOf(data, content) as Converted<Data, Result>
}

async function bodyOf(data: unknown): Promise<RequestBody> {
  if (data instanceof Blob) return file(data)
  const bytes = viewOfBytes(data)
  if (bytes !== null) return file(Uint8Array.from(bytes))
  if (data instanceof ReadableStream) return file(await readWholeFile(data))
  const content: string | undefined = JSON.stringify(data)
  if (content === undefined) throw new TypeError("The data must be JSON, a Blob, bytes or a stream.")
  return { contentType: "application/json", content }
}

async function readWholeFile(stream: ReadableStream): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = await readStream(stream, MAX_STREAM_BYTES)
  if (bytes === null) throw new RangeError("The stream has more bytes than any file that the service takes.")
  return bytes
}

function file(content: Uint8Array<ArrayBuffer> | Blob): RequestBody {
  return { contentType: "application/octet-stream", content }
}

function asKindOf(data: unknown, content: unknown): unknown {
  if (!(content instanceof Uint8Array)) return content
  const bytes = new Uint8Array(content)
  if (data instanceof File) return new File([bytes], data.name, { type: data.type })
  if (data instanceof Blob) return new Blob([bytes], { type: data.type })
  return data instanceof ReadableStream ? new Blob([bytes]).stream() : bytes
}
