import { constants, type FileHandle, open } from "node:fs/promises"
import { basename } from "node:path"
import { errorCodeOf } from "@sealway/kernel"
import { UsageFailure } from "../terminal/failures.ts"

const OWNER_ONLY = 0o600

/**
 * Opens a file that an earlier run of this user created. In a folder that others may write to, such as `/tmp`, somebody
 * else's file could have its name, or a link to another file of this user: content must neither be shown to others nor
 * overwrite that file.
 *
 * @param access flags of `open`. A file that they create is readable by its owner only
 * @param userId null when files have no owners
 * @throws UsageFailure when it is anything else
 */
export async function openOwn(path: string, access: number, userId: number | null): Promise<FileHandle> {
  const { O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants
  const strange = () =>
    new UsageFailure(`${basename(path)} is a link, or belongs to another user. Remove it to start over.`)
  const file = await open(path, access | O_NOFOLLOW | O_NONBLOCK, OWNER_ONLY).catch((error: unknown) => {
    throw ["ELOOP", "EMLINK", "ENXIO"].includes(errorCodeOf(error)) ? strange() : error
  })
  try {
    const found = await file.stat()
    const isOwn = userId === null || (found.uid === userId && found.nlink === 1)
    if (!isOwn || !found.isFile()) throw strange()
    return file
  } catch (error) {
    await file.close()
    throw error
  }
}
