import { createSecretKey, type KeyObject, randomBytes } from "node:crypto"
import { type FileHandle, open } from "node:fs/promises"
import { errorCodeOf } from "@sealway/kernel"
import { MasterKeyError, OTHERS_STAY } from "../errors.ts"
import { writeFileDurably } from "../write-file-durably.ts"

const MASTER_KEY_BYTES = 32

/**
 * Reads the key that wraps the KMS keys: 32 bytes, in a file that only its owner can read. Returns null when there is
 * none.
 *
 * @throws MasterKeyError when the file has another length, or permissions wider than 0600.
 */
export async function readMasterKey(path: string): Promise<KeyObject | null> {
  const file = await openIfPresent(path)
  if (file === null) return null
  try {
    const { mode, size } = await file.stat()
    // Windows has no such bits; there the folder's access list decides.
    if (process.platform !== "win32" && (mode & 0o077) !== 0) {
      throw new MasterKeyError(
        `The master key file ${path} is open to other users (mode ${(mode & 0o777).toString(8)}). ` +
          "If you are sure that no other user has read it, run chmod 600 on it.",
      )
    }
    if (size !== MASTER_KEY_BYTES) {
      throw new MasterKeyError(
        `The master key file ${path} has ${size} bytes instead of ${MASTER_KEY_BYTES}. Restore it from a backup. ${OTHERS_STAY}`,
      )
    }
    return createSecretKey(await file.readFile())
  } finally {
    await file.close()
  }
}

/** Generates a new master key and writes it. Only call it when nothing was ever written with another one. */
export async function createMasterKey(path: string): Promise<KeyObject> {
  const bytes = randomBytes(MASTER_KEY_BYTES)
  await writeFileDurably(path, bytes)
  return createSecretKey(bytes)
}

async function openIfPresent(path: string): Promise<FileHandle | null> {
  try {
    return await open(path, "r")
  } catch (error) {
    if (errorCodeOf(error) === "ENOENT") return null
    throw new MasterKeyError(`The master key file ${path} cannot be read.`, { cause: error })
  }
}
