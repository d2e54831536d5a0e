import { InvalidRequestError, processTurns } from "@sealway/kernel"
import { InvalidTokenError, parseFileInSteps } from "@sealway/tokens"
import type { TokenOpener } from "./token-opener.ts"

/** Opens an encrypted file. @throws InvalidRequestError when it is not one, or not the app's; nothing says which */
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
