import { chmod, lstat, readdir } from "node:fs/promises"
import { join } from "node:path"

/** The entries of a data folder. Anything else in it belongs to somebody else, for example with `--data .`. */
const OWN_ENTRY =
  /^(?:(?:manifest\.json|credentials\.json|env)(?:\.tmp)?|lock(?:-journal)?|dynamodb|kms|lambda|s3|(?:lost|backup)-[0-9A-Za-z]+)$/

/** Reading it fails if others could have read it. That must be reported, not hidden. */
const MASTER_KEY = join("kms", "master-key")

const PERMISSIONS_OF_OTHERS = 0o077

/**
 * Removes all permissions of group and others from the files and folders in a data folder, for example of an earlier
 * version or a restored backup. The folder itself is closed if it holds nothing else. Symbolic links are not followed.
 * Windows has no such permissions: there the folder's access list decides.
 */
export async function closeDataFolder(folder: string): Promise<void> {
  if (process.platform === "win32") return
  const names = await readdir(folder)
  const own = names.filter((name) => OWN_ENTRY.test(name))
  const isLeft = (path: string) => path === join(folder, MASTER_KEY)
  for (const name of own) await closeToOthers(join(folder, name), isLeft)
  if (own.length === names.length) await removePermissions(folder, (await lstat(folder)).mode)
}

async function closeToOthers(path: string, isLeft: (path: string) => boolean): Promise<void> {
  if (isLeft(path)) return
  const stats = await lstat(path)
  if (!stats.isDirectory() && !stats.isFile()) return
  await removePermissions(path, stats.mode)
  if (!stats.isDirectory()) return
  for (const name of await readdir(path)) await closeToOthers(join(path, name), isLeft)
}

async function removePermissions(path: string, mode: number): Promise<void> {
  if ((mode & PERMISSIONS_OF_OTHERS) !== 0) await chmod(path, mode & 0o700)
}
