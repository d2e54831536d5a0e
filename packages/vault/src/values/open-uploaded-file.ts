import { InvalidRequestError, processTurns } from "@sealway/kernel"
import { InvalidTokenError, parseFileInSteps } from "@sealway/tokens"
import type { TokenOpener } from "./token-opener.ts"

/** Opens an encrypted file. @throws InvalidRequestError when it is none, or none of the app's; nothing tells which */
export async function openUploadedFile(bytes: Buffer, opener: TokenOpener): Promise<Buffer> {
  try {
    return await opener.openFile(await processTurns.run(parseFileInSteps(bytes)))
  } catch (error) {
    if (error instanceof InvalidTokenError) {
      throw new InvalidRequestError("The file cannot be decrypted.", { cause: error })
    }
    throw error
  }
}
