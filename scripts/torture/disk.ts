import { execFile } from "node:child_process"
import { mkdir, open, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import { promisify } from "node:util"

const run = promisify(execFile)
const IMAGE_SIZE = "512M"

/** A small file system in a file, which can be filled, and lose what was not written through. */
export interface Disk {
  /** The place of the data folder. */
  readonly dataFolder: string
  /** Leaves no room. */
  fill(): Promise<void>
  free(): Promise<void>
  /**
   * Copies the blocks as they are now; `swap` replaces the disk by them. Call it while nothing writes; nothing may have
   * files open when `swap` is called.
   */
  copyBlocks(): Promise<{ swap(): Promise<void> }>
  remove(): Promise<void>
}

/** Returns null where none can be mounted. */
export async function mountDisk(workFolder: string): Promise<Disk | null> {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return null
  const mounted = join(workFolder, "disk")
  const ballast = join(mounted, "ballast")
  let generation = 0
  const image = () => join(workFolder, `image-${generation}`)
  await mkdir(mounted)
  try {
    await writeFile(image(), "")
    await run("truncate", ["--size", IMAGE_SIZE, image()])
    await run("mkfs.ext4", ["-q", image()])
    await run("mount", ["-o", "loop", image(), mounted])
  } catch {
    return null
  }
  return {
    dataFolder: join(mounted, "data"),
    fill: () => fill(ballast),
    free: () => rm(ballast, { force: true }),
    async copyBlocks() {
      const [before, after] = [image(), join(workFolder, `image-${generation + 1}`)]
      await run("cp", ["--sparse=always", before, after])
      return {
        async swap() {
          await unmount(mounted)
          generation++
          await run("mount", ["-o", "loop", after, mounted])
          await rm(before)
        },
      }
    },
    remove: () => unmount(mounted),
  }
}

async function unmount(path: string): Promise<void> {
  for (let attempts = 0; attempts < 100; attempts++) {
    const isDone = await run("umount", [path]).then(
      () => true,
      ({ stderr }) => /not mounted/.test(stderr),
    )
    if (isDone) return
    await delay(100)
  }
  throw new Error(`${path} cannot be unmounted.`)
}

/** Writes zeros until there is no room. */
async function fill(path: string): Promise<void> {
  const file = await open(path, "a")
  try {
    for (const bytes of [4_194_304, 65_536, 4_096]) {
      const zeros = new Uint8Array(bytes)
      while (
        await file.write(zeros).then(
          ({ bytesWritten }) => bytesWritten === bytes,
          () => false,
        )
      );
    }
  } finally {
    await file.close()
  }
}
