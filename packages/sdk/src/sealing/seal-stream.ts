import type { FileSealing } from "@sealway/tokens/portable"
import { viewOfBytes } from "./bytes.ts"

/** Returns a transform that seals a file as it passes, and fails when the file is larger than allowed. */
export function sealingTransform(
  file: FileSealing,
  maxBytes: number,
): TransformStream<Uint8Array, Uint8Array<ArrayBuffer>> {
  let bytes = 0
  return new TransformStream({
    start(controller) {
      controller.enqueue(file.header)
    },
    async transform(chunk, controller) {
      const view = viewOfBytes(chunk)
      if (view === null) throw new TypeError("The stream must consist of Uint8Array.")
      bytes += view.length
      if (bytes > maxBytes) throw tooLarge(maxBytes)
      const sealed = await file.update(view)
      if (sealed.length > 0) controller.enqueue(sealed)
    },
    async flush(controller) {
      controller.enqueue(await file.end())
    },
  })
}

export function tooLarge(maxBytes: number): RangeError {
  return new RangeError(`The file has more than ${maxBytes.toLocaleString("en")} bytes.`)
}
