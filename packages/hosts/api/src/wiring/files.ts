import type { FileDependencies, FileStorage } from "@sealway/files"
import type { Platform } from "@sealway/http"
import { createDataRoles, type DataRoles } from "@sealway/policies"

/**
 * @param dataRoles default: new ones
 * @param storage default: the bucket that the configuration names
 * @throws Error when the configuration does not say where files are stored
 */
export function createDependencies(
  platform: Platform,
  dataRoles: DataRoles = createDataRoles(platform),
  storage?: FileStorage,
): FileDependencies {
  const { files, openObjects } = platform
  if (files === null) throw new Error("The configuration does not say where to store files")
  const { storagePath } = files
  return { ...platform, dataRoles, storagePath, storage: storage ?? openObjects(files.bucket) }
}
