import type { App } from "@sealway/accounts"
import type { DerivedKeyPart, EncryptionContext, KeyPart } from "@sealway/ports"
import { decodePrivatePart, derivePart } from "./key-version-parts.ts"
import type { SealedParts } from "./key-version-table.ts"
import type { KmsEnvelope } from "./kms-envelope.ts"

/** The app that a key version belongs to. */
export type KeyOwner = Pick<App, "id" | "teamId">

/**
 * Binds a stored part to its record and to what it is: copied to another app, version or part, it does not decrypt. The
 * private part is the one whose context names no part: it was there before the others.
 */
export function partContext(app: KeyOwner, version: number, part: KeyPart): EncryptionContext {
  const whose = { team: app.teamId, app: app.id, version: String(version) }
  return part === "private" ? whose : { ...whose, part }
}

/** Encrypts all parts of a key version but the private one. A key version in an HSM has no part `value`. */
export async function sealDerivedParts(
  envelope: KmsEnvelope,
  app: KeyOwner,
  version: number,
  privatePart: Uint8Array,
): Promise<SealedParts> {
  const content = decodePrivatePart(privatePart)
  const seal = async (part: DerivedKeyPart) => {
    const bytes = derivePart(part, content)
    const sealed = await envelope.seal(bytes, partContext(app, version, part))
    bytes.fill(0)
    return sealed
  }
  const hasValue = content.custody === "envelope"
  const [publicPart, secret, value] = await Promise.all([
    seal("public"),
    seal("secret"),
    hasValue ? seal("value") : undefined,
  ])
  return { public: publicPart, secret, ...(value !== undefined && { value }) }
}
