import type { Endpoint } from "@sealway/platform"
import type { FileDependencies } from "../dependencies.ts"
import { completeFile } from "./complete-file.ts"
import { createFile } from "./create-file.ts"
import { createPartUrls } from "./create-part-urls.ts"
import { decryptFile } from "./decrypt-file.ts"
import { deleteFile } from "./delete-file.ts"
import { getFile } from "./get-file.ts"
import { listFiles } from "./list-files.ts"
import { listFileParts } from "./list-parts.ts"

/** Files of any size. */
export const fileEndpoints: readonly Endpoint<FileDependencies>[] = [
  createFile,
  createPartUrls,
  listFileParts,
  completeFile,
  listFiles,
  getFile,
  decryptFile,
  deleteFile,
]
