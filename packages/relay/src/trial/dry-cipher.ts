import type { App } from "@sealway/platform"
import { MESSAGE_LIMITS, type MessageCipher } from "@sealway/relay-engine"
import { type CipherDependencies, createMessageCipher } from "../cipher/create-message-cipher.ts"

/** Stands where a trial would have decrypted a value or a file. */
const PLACEHOLDER = "(decrypted)"

/**
 * Seals as live traffic does, and opens nothing: whoever may look at a relay's configuration does not come by plaintext
 * in that way, policies are not asked, and budgets not spent.
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
        // To its end, as whoever opens it does.
      }
      yield value
    },
  }
}
