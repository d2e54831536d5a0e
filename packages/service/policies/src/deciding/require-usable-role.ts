import type { App } from "@sealway/accounts"
import { invalidField } from "@sealway/kernel"
import type { DataRoles } from "./data-roles.ts"

/**
 * Notes the use of the data role that a request names. Call it before anything is stored with the role.
 *
 * @param pointer JSON Pointer to the slug in the request
 * @param slug null: the request names none
 * @throws InvalidRequestError when the app has no such role, or it is archived
 */
export async function requireUsableRole(
  dataRoles: Pick<DataRoles, "markUsed">,
  app: App,
  pointer: string,
  slug: string | null,
): Promise<void> {
  if (slug !== null && !(await dataRoles.markUsed(app, slug))) {
    throw invalidField(pointer, "There is no data role with this slug, or it is archived.")
  }
}
