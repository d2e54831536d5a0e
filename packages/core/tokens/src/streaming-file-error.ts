import { InvalidTokenError } from "./invalid-token-error.ts"

/** Thrown where a file of version 5 is, and only files of other versions can be. */
export class StreamingFileError extends InvalidTokenError {
  override readonly name: string = "StreamingFileError"
  override readonly message =
    "This file was sealed for /files. Upload it there, and decrypt it with POST /files/{file_id}/decrypt."
}
