import type { FileSealing } from "@sealway/tokens/portable"
import { viewOfBytes } from "./bytes.ts"

/**
 * Returns a stream that reads another and seals it as a file, chunk by chunk as it is read itself. Fails when the file
 * is larger than allowed.
 *
 * Not a `TransformStream`: in workers with a compatibility date before December 2022, it ignores what it is created
 * with, and would pass on what is to be encrypted.
 */
export function sealStream(
  source: ReadableStream,
  file: FileSealing,
  maxBytes: number,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const reader = source.getReader()
  let bytes = 0

  /** Returns null at the end; possibly no bytes before it. */
  const next = async (): Promise<Uint8Array<ArrayBuffer> | null> => {
    const { done, value } = await reader.read()
    if (done) return null
    const chunk = viewOfBytes(value)
    if (chunk === null) throw new TypeError("The stream must consist of Uint8Array.")
    bytes += chunk.length
    if (bytes > maxBytes) throw tooLarge(maxBytes)
    return file.update(chunk)
  }

  return new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      start(controller) {
        controller.enqueue(file.header)
      },
      async pull(controller) {
        try {
          let sealed = await next()
          // A stream is not pulled again before it has something to give.
          while (sealed?.length === 0) sealed = await next()
          controller.enqueue(sealed ?? (await file.end()))
          if (sealed === null) controller.close()
        } catch (error) {
          reader.cancel(error).catch(() => undefined)
          throw error
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  )
}

export function tooLarge(maxBytes: number): RangeError {
  return new RangeError(`The file has more than ${maxBytes.toLocaleString("en")} bytes.`)
}
