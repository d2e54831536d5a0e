import type { Table } from "@sealway/ports"
import { listKeyVersions, putParts } from "./key-version-table.ts"
import type { KmsEnvelope } from "./kms-envelope.ts"
import { type KeyOwner, partContext, sealDerivedParts } from "./seal-parts.ts"

/**
 * Adds the parts that key versions of earlier releases do not have, so that processes without access to private keys can
 * use them. Only adds, so it can be interrupted, repeated and run twice at a time.
 *
 * @returns how many key versions got their parts
 */
export async function fillKeyParts(
  { keysTable, envelope }: { readonly keysTable: Table; readonly envelope: KmsEnvelope },
  app: KeyOwner,
): Promise<number> {
  let filled = 0
  for (const { version, ciphertext, parts } of await listKeyVersions(keysTable, app.id)) {
    if (parts !== undefined) continue
    const privatePart = await envelope.open(ciphertext, partContext(app, version, "private"))
    await putParts(keysTable, app.id, version, await sealDerivedParts(envelope, app, version, privatePart))
    privatePart.fill(0)
    filled++
  }
  return filled
}
