import { readdir } from "node:fs/promises"
import { join } from "node:path"
import { ASSET_CACHE_CONTROL, dashboardContentType, PAGE_CACHE_CONTROL } from "@sealway/api"
import { DASHBOARD_BUCKET_OUTPUT } from "./dashboard.ts"

/** The file, beside an assembly, that lists what is uploaded into buckets of its stacks. */
export const UPLOADS_LIST = "uploads.json"

/** A file of the dashboard, for `infra/publish.ts`. */
interface Upload {
  /** Its name in the bucket, which is its path at the dashboard's address. */
  readonly key: string
  /** Its path in the assembly's folder. */
  readonly path: string
  readonly contentType: string
  readonly cacheControl: string
}

/** What is uploaded into the bucket of a stack, when the stack exists. */
export interface StackUploads {
  readonly stackName: string
  /** The output of the stack that names the bucket. */
  readonly bucketOutput: string
  /** The last one needs all others: a page needs the scripts that it names. */
  readonly files: readonly Upload[]
}

const BELOW = "dashboard"

/**
 * Lists the files of a built dashboard, the page last: whoever gets it asks for the assets that it names.
 *
 * @param folder the assembly's
 * @param built the dashboard's, below it
 */
export async function dashboardUploads(
  folder: string,
  built: string,
  stackName: string,
): Promise<StackUploads> {
  const assets = await readdir(join(folder, built, "assets"))
  const upload = (file: string, cacheControl: string): Upload => ({
    key: `${BELOW}/${file}`,
    path: `${built}/${file}`,
    contentType: dashboardContentType(file),
    cacheControl,
  })
  return {
    stackName,
    bucketOutput: DASHBOARD_BUCKET_OUTPUT,
    files: [
      ...assets.sort().map((name) => upload(`assets/${name}`, ASSET_CACHE_CONTROL)),
      upload("index.html", PAGE_CACHE_CONTROL),
    ],
  }
}
