import { isId, NotFoundError } from "@sealway/kernel"
import { type App, type AuditAuthor, audited } from "@sealway/platform"
import type { FileDependencies } from "../dependencies.ts"
import { type FileUpload, findStoredFile, type StoredFile, uploadRecords } from "../records/file-table.ts"
import { entryOf, removeFile, removeUpload } from "./manage-uploads.ts"

/** Finds a file that is stored completely. @throws NotFoundError when the app has no such file */
export async function requireFile(
  { configTable }: Pick<FileDependencies, "configTable">,
  app: App,
  id: string,
): Promise<StoredFile> {
  const found = isId("file", id) ? await findStoredFile(configTable, app.id, id) : null
  if (found === null) throw new NotFoundError("The file")
  return found
}

/** Finds a file, or its upload. @throws NotFoundError when the app has neither */
export async function requireFileOrUpload(
  dependencies: Pick<FileDependencies, "configTable">,
  app: App,
  id: string,
): Promise<StoredFile | FileUpload> {
  const upload = isId("file", id) ? await uploadRecords.find(dependencies.configTable, app.id, { id }) : null
  const file = isId("file", id) ? await findStoredFile(dependencies.configTable, app.id, id) : null
  const found = file ?? upload
  if (found === null) throw new NotFoundError("The file")
  return found
}

/**
 * Deletes a file, or ends its upload. The bytes are deleted first: when the answer is there, nobody can read them any
 * more, and a call that was interrupted can be repeated.
 *
 * @throws NotFoundError when the app has no such file
 */
export async function deleteFile(
  dependencies: FileDependencies,
  app: App,
  id: string,
  author: AuditAuthor,
): Promise<void> {
  const { configTable, audit } = dependencies
  const found = await requireFileOrUpload(dependencies, app, id)
  await audited(audit, entryOf(app, found, "delete", author), async () => {
    const upload = await uploadRecords.find(configTable, app.id, { id })
    await (upload === null ? removeFile(dependencies, app, id) : removeUpload(dependencies, app, upload))
  })
}
