import { joinBytes } from "@sealway/tokens/portable"
import { viewOfBytes } from "../sealing/bytes.ts"

/**
 * Reads a stream to its end. Returns null, and cancels it, when it has more than `maxBytes`.
 *
 * @throws TypeError if it is a stream of anything but bytes
 */
export async function readStream(
  stream: ReadableStream<unknown>,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer> | null> {
  const reader = stream.getReader()
  const chunks: Uint8Array[] = []
  let length = 0
  const giveUp = () => void reader.cancel().catch(() => undefined)
  for (;;) {
    const { done, value } = await reader.read()
    if (done) break
    const chunk = viewOfBytes(value)
    if (chunk === null) {
      giveUp()
      throw new TypeError("The stream must consist of Uint8Array.")
    }
    length += chunk.length
    if (length > maxBytes) {
      giveUp()
      return null
    }
    chunks.push(chunk)
  }
  return joinBytes(chunks)
}
