import { InvalidRequestError, type Task } from "@sealway/kernel"
import { InvalidTokenError, isStreamingFile, parseFileInSteps, StreamingFileError } from "@sealway/tokens"
import type { HoneyValue } from "../values/honey-value.ts"
import type { TokenOpener } from "../values/token-opener.ts"
import { honeyForbidden } from "./decryption-forbidden-error.ts"
import { reserveForFile } from "./held-bytes.ts"

/**
 * Opens an encrypted file.
 *
 * @param isSealedAgain reserves the memory for that too
 * @throws InvalidRequestError when it is not one, or not the app's: nothing says which, but for files of /files
 * @throws DecryptionForbiddenError when it was made of a honey token
 */
export async function openUploadedFile(
  bytes: Buffer,
  opener: TokenOpener,
  task: Task,
  { isSealedAgain = false } = {},
): Promise<Buffer> {
  await task.run(reserveForFile(bytes, task, isSealedAgain ? 2 : 1))
  const opened = await openFile(bytes, opener, task)
  if (Buffer.isBuffer(opened)) return opened
  throw honeyForbidden("", opened)
}

async function openFile(bytes: Buffer, opener: TokenOpener, task: Task): Promise<Buffer | HoneyValue> {
  try {
    return await opener.openFile(await task.run(parseFileInSteps(bytes)))
  } catch (error) {
    if (!(error instanceof InvalidTokenError)) throw error
    const detail = isStreamingFile(bytes) ? new StreamingFileError().message : "The file cannot be decrypted."
    throw new InvalidRequestError(detail, { cause: error })
  }
}
