import {
  isEncryptedFile,
  isFile,
  isStreamingFile,
  MAX_STREAM_HEADER_BYTES,
  StreamingFileError,
} from "@sealway/tokens"
import type { PartHead } from "../form/part-head.ts"
import type { PartRewrite } from "../form/rewrite-multipart.ts"
import type { Operation } from "../operations/compile-operations.ts"
import type { TransformOptions } from "./message.ts"
import type { MessageCipher } from "./message-cipher.ts"
import type { MessageReport } from "./message-report.ts"

/** Enough to recognise an encrypted file of any version. */
const HEAD_BYTES = MAX_STREAM_HEADER_BYTES

/** Applies operations to a file, each to the result of the previous one. */
export function rewriteFile(
  { filename }: PartHead,
  operations: readonly Operation[],
  { compiled, cipher, report }: TransformOptions,
): PartRewrite {
  // Browsers send this when no file was chosen.
  const isNone = filename === ""
  const leavesEmpty = isNone || !compiled.encryptEmptyStrings
  return {
    file(content) {
      let changed = content
      for (const operation of operations) {
        report.countMatched(operation)
        changed =
          operation.action === "encrypt"
            ? encryptFile(changed, operation, leavesEmpty, cipher, report)
            : decryptFile(changed, operation, cipher, report)
      }
      return changed
    },
  }
}

async function* encryptFile(
  content: AsyncIterable<Buffer>,
  operation: Operation,
  leavesEmpty: boolean,
  cipher: MessageCipher,
  report: MessageReport,
): AsyncGenerator<Buffer, void, void> {
  const { head, all } = await peek(content)
  if (head.length === 0 && leavesEmpty) return
  if (!isFile(head)) {
    report.countChanged(operation)
    yield* cipher.sealFile(all)
    return
  }
  if (isStreamingFile(head)) throw new StreamingFileError()
  // The whole form counts, not the first bytes: a file that only starts like an encrypted one must still be encrypted.
  const bytes = Buffer.concat(await Array.fromAsync(all))
  if (isEncryptedFile(bytes)) {
    yield bytes
    return
  }
  report.countChanged(operation)
  yield* cipher.sealFile(only(bytes))
}

async function* decryptFile(
  content: AsyncIterable<Buffer>,
  operation: Operation,
  cipher: MessageCipher,
  report: MessageReport,
): AsyncGenerator<Buffer, void, void> {
  const { head, all } = await peek(content)
  if (!isFile(head)) {
    yield* all
    return
  }
  if (isStreamingFile(head)) throw new StreamingFileError()
  report.countChanged(operation)
  yield* cipher.openFile(all)
}

/** Returns the first bytes of a content, at least `HEAD_BYTES` if it has so many, and all of it. */
async function peek(
  content: AsyncIterable<Buffer>,
): Promise<{ readonly head: Buffer; readonly all: AsyncIterable<Buffer> }> {
  const iterator = content[Symbol.asyncIterator]()
  let head: Buffer = Buffer.alloc(0)
  let isDone = false
  while (!isDone && head.length < HEAD_BYTES) {
    const next = await iterator.next()
    if (next.done === true) isDone = true
    else head = head.length === 0 ? next.value : Buffer.concat([head, next.value])
  }
  async function* all(): AsyncGenerator<Buffer, void, void> {
    if (head.length > 0) yield head
    for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) yield next.value
  }
  return { head, all: all() }
}

async function* only(bytes: Buffer): AsyncGenerator<Buffer, void, void> {
  yield bytes
}
