import type { Endpoint } from "@sealway/http"
import type { FileDependencies } from "../dependencies.ts"
import { completeFile } from "./complete-file.ts"
import { createFile } from "./create-file.ts"
import { createFileKey } from "./create-file-key.ts"
import { createFilePartUrls } from "./create-file-part-urls.ts"
import { decryptFile } from "./decrypt-file.ts"
import { deleteFile, getFile, listFiles } from "./files.ts"
import { listFileParts } from "./list-file-parts.ts"

/** Files of any size. */
export const fileEndpoints: readonly Endpoint<FileDependencies>[] = [
  createFile,
  createFileKey,
  createFilePartUrls,
  listFileParts,
  completeFile,
  listFiles,
  getFile,
  decryptFile,
  deleteFile,
]
