import type { App } from "@sealway/platform"
import { MESSAGE_LIMITS, type MessageCipher } from "@sealway/relay-engine"
import { type CipherDependencies, createMessageCipher } from "../cipher/create-message-cipher.ts"

/** Shown where a trial would have decrypted a value or a file. */
const PLACEHOLDER = "(decrypted)"

/**
 * Creates a cipher that seals like live traffic, and opens nothing: viewing a relay's configuration must not give
 * access to plaintext. Policies are not asked, and budgets not spent.
 */
export function createDryCipher(
  dependencies: CipherDependencies,
  app: App,
  relayId: string,
  direction: "request" | "response",
): MessageCipher {
  const cipher = createMessageCipher(dependencies, {
    app,
    relayId,
    direction,
    decision: { source: "relay", ip: null, apiKeyId: null },
    author: { actor: { type: "system", id: "sealway" }, ip: null, requestId: null },
    maxFileBytes: MESSAGE_LIMITS.maxFileBytes,
  })
  const value = Buffer.from(PLACEHOLDER)
  return {
    sealer: (values, roles) => cipher.sealer(values, roles),
    sealFile: (content) => cipher.sealFile(content),
    open: async (tokens) => tokens.map(() => ({ type: "string", value, role: null, encryptedAt: null })),
    async *openFile(content) {
      for await (const _ of content) {
        // Reads to the end, as opening a file does.
      }
      yield value
    },
  }
}
