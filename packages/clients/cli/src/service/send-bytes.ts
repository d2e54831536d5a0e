import type { RequestBody, Transport } from "@sealway/sdk/api"

/** An endpoint that answers values with others, and changes nothing else. */
export interface ValueEndpoint {
  readonly path: "/encrypt" | "/decrypt" | "/rewrap" | "/fingerprint" | "/inspect" | `/formats/${string}`
  readonly query?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
}

/** Sends values and returns the answer, both byte for byte: JavaScript's numbers would change digits. */
export async function sendBytes(
  service: Transport,
  { path, query = {}, headers = {} }: ValueEndpoint,
  body: RequestBody,
): Promise<Buffer<ArrayBuffer>> {
  const request = { method: "POST", path, query, headers, body, isRepeatable: true, wantsBytes: true }
  const { content } = await service.send(request)
  if (!(content instanceof Uint8Array && content.buffer instanceof ArrayBuffer)) return Buffer.alloc(0)
  return Buffer.from(content.buffer, content.byteOffset, content.byteLength)
}
