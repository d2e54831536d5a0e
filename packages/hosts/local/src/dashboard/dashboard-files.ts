import { hash } from "node:crypto"
import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { gzip } from "node:zlib"
import { dashboardContentType } from "@sealway/api"

/** A file of the built dashboard. */
export interface DashboardFile {
  readonly contentType: string
  readonly plain: Representation
  readonly gzipped: Representation
}

/** One of the forms in which a file is sent. */
interface Representation {
  readonly bytes: Buffer
  /** A strong entity tag (RFC 9110, section 8.8.3), quoted. */
  readonly etag: string
}

/** A dashboard that is ready to be served. */
export interface DashboardFiles {
  /** What every address of a page answers. */
  readonly page: DashboardFile
  /** By name. The names contain the hash of the content. */
  readonly assets: ReadonlyMap<string, DashboardFile>
}

const compress = promisify(gzip)

/**
 * Reads a built dashboard into memory, where requests find its files by name: no request names a path of the disk.
 *
 * @throws Error of `node:fs` when the folder has no built dashboard
 */
export async function readDashboardFiles(folder: string): Promise<DashboardFiles> {
  const assets = join(folder, "assets")
  const entries = await readdir(assets, { withFileTypes: true })
  const names = entries.filter((entry) => entry.isFile()).map(({ name }) => name)
  const files = names.map(async (name) => [name, await readDashboardFile(join(assets, name))] as const)
  return {
    page: await readDashboardFile(join(folder, "index.html")),
    assets: new Map(await Promise.all(files)),
  }
}

async function readDashboardFile(path: string): Promise<DashboardFile> {
  const bytes = await readFile(path)
  return {
    contentType: dashboardContentType(path),
    plain: representation(bytes),
    gzipped: representation(await compress(bytes)),
  }
}

function representation(bytes: Buffer): Representation {
  return { bytes, etag: `"${hash("sha256", bytes, "base64url")}"` }
}
