import { writeBase64 } from "./base64.ts"
import { Base64Writer } from "./base64-writer.ts"

/** Up to this length, writing base64 in a loop takes less time than what Node.js needs to make a string of it. */
const MAX_SHORT_BYTES = 256
const short = Buffer.alloc(MAX_SHORT_BYTES)

/** Writes ciphertext and tag in base64. @returns the offset after it */
export function writeSealed(ciphertext: Buffer, tag: Buffer, target: Buffer, at: number): number {
  const length = ciphertext.length + tag.length
  if (length <= MAX_SHORT_BYTES) {
    ciphertext.copy(short)
    tag.copy(short, ciphertext.length)
    return writeBase64(short, length, target, at)
  }
  const writer = new Base64Writer(target, at)
  writer.write(ciphertext)
  writer.write(tag)
  return writer.end()
}

/** @returns the offset after it */
export function writeAscii(text: string, target: Buffer, at: number): number {
  for (let index = 0; index < text.length; index++) target[at + index] = text.charCodeAt(index)
  return at + text.length
}
