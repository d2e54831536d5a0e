import { MAX_PLAIN_FILE_BYTES } from "@sealway/kernel"
import {
  agreedContentKey,
  createKeyAgreement,
  createSealingKey,
  FILE_OVERHEAD_BYTES,
  generatePrivateKey,
  openFileStream,
  openToken,
  type SealedContent,
  sealFileStream,
  type ValueType,
} from "@sealway/tokens"
import { RelayError } from "../../errors/relay-error.ts"
import type { MessageCipher } from "../message-cipher.ts"

const ENCRYPTED_AT = 1_700_000_000

/** A request for permission: how many values of which role. */
interface PermissionRequest {
  readonly requests: readonly { readonly role: string; readonly values: number }[]
}

/** Seals large values at once, too. */
interface TestCipher extends MessageCipher {
  sealer(
    values: number,
    roles: readonly string[],
    dataSubject?: string | null,
  ): (type: ValueType, text: Buffer, role: string | null) => string
}

/**
 * Creates ciphers of messages with separate keys instead of an app's. Roles: `forbidden` may not be decrypted,
 * `archived` may not be used for sealing, all others may.
 */
export function createTestCiphers() {
  const decided: PermissionRequest[] = []
  const marked: string[] = []
  const keys = createKeyAgreement("prime256v1", generatePrivateKey("prime256v1"))
  const secrets = new Map<string, Buffer>()
  const sealingKey = createSealingKey({ appPublicKey: keys.publicKey, debug: false })
  const contentKeyOf = (sealed: SealedContent) => agreedContentKey(sealed, { sharedSecret })

  /** As the service does: tokens of one ephemeral key cost one agreement. */
  function sharedSecret(ephemeralPublicKey: Uint8Array) {
    const id = Buffer.from(ephemeralPublicKey).toString("base64")
    const secret = secrets.get(id) ?? keys.sharedSecret(ephemeralPublicKey)
    secrets.set(id, secret)
    return secret
  }

  const cipher = (
    stage: "request" | "response" = "request",
    maxFileBytes = MAX_PLAIN_FILE_BYTES,
  ): TestCipher => ({
    async open(tokens, otherRoles) {
      const opened = tokens.map((token) => openToken(token, contentKeyOf(token), keys.publicKey))
      const counts = new Map<string, number>()
      for (const role of [...opened.map(({ role }) => role), ...otherRoles]) {
        if (role !== null) counts.set(role, (counts.get(role) ?? 0) + 1)
      }
      if (counts.size > 0) decided.push({ requests: [...counts].map(([role, values]) => ({ role, values })) })
      if (counts.has("forbidden")) throw new RelayError("decrypt/forbidden", "Not permitted.", { stage })
      return opened
    },
    count: () => undefined,
    sealer(_values, roles) {
      marked.push(...roles)
      if (roles.includes("archived")) throw new RelayError("internal-server-error", "Archived.", { stage })
      return (type, text, role) =>
        sealingKey.seal(type, text, role === null ? undefined : { role, encryptedAt: ENCRYPTED_AT })
    },
    sealFile: (content) => sealFileStream(content, sealingKey),
    openFile: (content) =>
      openFileStream(
        content,
        async (header) => [{ contentKey: contentKeyOf(header), appPublicKey: keys.publicKey }],
        { maxBytes: maxFileBytes + FILE_OVERHEAD_BYTES },
      ),
  })
  return { decided, marked, cipher }
}
