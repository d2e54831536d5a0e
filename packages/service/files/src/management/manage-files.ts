import type { App } from "@sealway/accounts"
import { isId, NotFoundError } from "@sealway/kernel"
import { type AuditAuthor, audited } from "@sealway/records"
import type { FileDependencies } from "../dependencies.ts"
import {
  type FileUpload,
  fileRecords,
  findStoredFile,
  type StoredFile,
  uploadRecords,
} from "../records/file-table.ts"
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
  const found = await findDeletable(dependencies, app, id)
  if (found === null) throw new NotFoundError("The file")
  await audited(audit, entryOf(app, found, "delete", author), async () => {
    const upload = await uploadRecords.find(configTable, app.id, { id })
    await (upload === null ? removeFile(dependencies, app, id) : removeUpload(dependencies, app, upload))
  })
}

/**
 * Finds what is to be deleted: an upload, a file, or the place of one. A repeated request sees a record as it was before it was
 * removed, and that may be a place whose upload somebody else has completed since.
 */
async function findDeletable(
  { configTable }: Pick<FileDependencies, "configTable">,
  app: App,
  id: string,
): Promise<Pick<StoredFile, "id" | "role" | "size"> | null> {
  if (!isId("file", id)) return null
  const upload = await uploadRecords.find(configTable, app.id, { id })
  return upload ?? fileRecords.find(configTable, app.id, { id })
}
