import type { RequestBody, Transport } from "@sealway/sdk/api"

/** An endpoint that answers values with others, and changes nothing else. */
export interface ValueEndpoint {
  readonly path: "/encrypt" | "/decrypt" | "/rewrap" | "/fingerprint" | "/inspect"
  readonly headers?: Readonly<Record<string, string>>
}

/** Sends values and returns the answer, both byte for byte: JavaScript's numbers would change digits. */
export async function sendBytes(
  service: Transport,
  { path, headers = {} }: ValueEndpoint,
  body: RequestBody,
): Promise<Buffer<ArrayBuffer>> {
  const request = { method: "POST", path, headers, body, isRepeatable: true, wantsBytes: true }
  const { content } = await service.send(request)
  if (!(content instanceof Uint8Array && content.buffer instanceof ArrayBuffer)) return Buffer.alloc(0)
  return Buffer.from(content.buffer, content.byteOffset, content.byteLength)
}
