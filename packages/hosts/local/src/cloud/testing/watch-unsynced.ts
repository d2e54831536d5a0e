import fs, { type FileHandle } from "node:fs/promises"
import { syncBuiltinESMExports } from "node:module"
import { dirname, join, relative, resolve } from "node:path"
import { onTestFinished, vi } from "vitest"

/** What a power cut could still undo. */
export interface UnsyncedWatch {
  /**
   * Returns files whose content was written and not synced; names that appeared or disappeared in folders that were not
   * synced since; and files that got their name before their content was synced. Then forgets all.
   */
  take(): readonly string[]
}

/** Watches what a test does below a folder by `node:fs/promises`. Does not see what SQLite writes, nor other threads. */
export function watchUnsynced(folder: string): UnsyncedWatch {
  const root = resolve(folder)
  const contents = new Set<string>()
  const names = new Map<string, "appeared" | "disappeared">()
  const tooEarly = new Set<string>()
  const { open, writeFile, rename, mkdir, rm } = fs

  const isIn = (path: string, parent: string) => path === parent || path.startsWith(join(parent, "/"))
  const written = (path: string) => {
    if (isIn(path, root)) contents.add(path)
  }
  /** The content of a file, and the names in a folder. */
  const synced = (path: string) => {
    contents.delete(path)
    for (const each of [...names.keys()]) if (dirname(each) === path) names.delete(each)
  }
  const appeared = (path: string) => {
    if (isIn(path, root)) names.set(path, "appeared")
  }
  const disappeared = (path: string) => {
    // Gone either way, if its own name was never synced.
    const isNew = names.get(path) === "appeared"
    for (const each of [...contents]) if (isIn(each, path)) contents.delete(each)
    for (const each of [...names.keys()]) if (isIn(each, path)) names.delete(each)
    if (isIn(path, root) && !isNew) names.set(path, "disappeared")
  }

  /** @param syncedBytes how many it has, none of them written through this handle */
  function observe(handle: FileHandle, path: string, syncedBytes: number): void {
    const { sync, datasync, close } = handle
    let bytes = syncedBytes
    const after = async (syncing: Promise<void>) => {
      await syncing
      bytes = (await handle.stat()).size
      synced(path)
    }
    handle.sync = () => after(sync.call(handle))
    handle.datasync = () => after(datasync.call(handle))
    handle.close = async () => {
      const stats = await handle.stat()
      if (stats.isFile() && stats.size !== bytes) written(path)
      await close.call(handle)
    }
  }

  vi.spyOn(fs, "open").mockImplementation(async (path, flags, mode) => {
    const existing = await fs.stat(path).catch(() => null)
    const handle = await open(path, flags, mode)
    if (existing === null) appeared(resolve(String(path)))
    const isOnlyRead = existing?.isFile() === true && (flags ?? "r") === "r"
    if (!isOnlyRead) observe(handle, resolve(String(path)), (await handle.stat()).size)
    return handle
  })
  vi.spyOn(fs, "writeFile").mockImplementation(async (path, content, options) => {
    await writeFile(path, content, options)
    const file = resolve(String(path))
    appeared(file)
    const isFlushed = typeof options === "object" && options !== null && options.flush === true
    if (!isFlushed) written(file)
  })
  vi.spyOn(fs, "rename").mockImplementation(async (from, to) => {
    await rename(from, to)
    const [before, after] = [resolve(String(from)), resolve(String(to))]
    const isUnsynced = (path: string) => path !== before && isIn(path, before)
    if (contents.has(before) || [...contents, ...names.keys()].some(isUnsynced)) tooEarly.add(after)
    disappeared(before)
    appeared(after)
  })
  vi.spyOn(fs, "mkdir").mockImplementation(async (path, options) => {
    const created = await mkdir(path, options)
    const isRecursive = typeof options === "object" && options?.recursive === true
    if (isRecursive && created === undefined) return created
    const first = resolve(created ?? String(path))
    for (let each = resolve(String(path)); isIn(each, first); each = dirname(each)) appeared(each)
    return created
  })
  vi.spyOn(fs, "rm").mockImplementation(async (path, options) => {
    const existing = await fs.stat(path).catch(() => null)
    await rm(path, options)
    if (existing !== null) disappeared(resolve(String(path)))
  })
  syncBuiltinESMExports()
  onTestFinished(() => {
    vi.restoreAllMocks()
    syncBuiltinESMExports()
  })

  return {
    take() {
      const shown = (path: string) => relative(dirname(root), path)
      const found = [
        ...[...contents].map((path) => `${shown(path)} is not synced`),
        ...[...names].map(([path, change]) => `${shown(path)} ${change}`),
        ...[...tooEarly].map((path) => `${shown(path)} was named before it was synced`),
      ]
      contents.clear()
      names.clear()
      tooEarly.clear()
      return found
    },
  }
}
