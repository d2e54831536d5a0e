import { randomBytes } from "node:crypto"
import type { Allowance, App } from "@sealway/accounts"
import type { Task } from "@sealway/kernel"
import type { Keyring } from "@sealway/keys"
import { MESSAGE_LIMITS, type MessageCipher } from "@sealway/relay-engine"
import { createSubjectKey, SUBJECT_ID_BYTES } from "@sealway/tokens"
import { type CipherDependencies, createMessageCipher } from "../cipher/create-message-cipher.ts"

/** What a trial may use. */
export interface TrialMeans {
  readonly task: Task
  readonly allowance: Pick<Allowance, "takeValues">
}

/** Shown where a trial would have decrypted a value or a file. */
const PLACEHOLDER = "(decrypted)"
const KEY_BYTES = 32

/**
 * Creates a cipher that seals like live traffic, and opens nothing: viewing a relay's configuration must not give
 * access to plaintext. Policies are not asked, budgets not spent, and no data subject is created. What is sealed counts,
 * because its tokens are shown.
 */
export function createDryCipher(
  dependencies: CipherDependencies,
  app: App,
  relayId: string,
  direction: "request" | "response",
  { task, allowance }: TrialMeans,
): MessageCipher {
  const keyring = withoutSubjects(dependencies.keyring)
  const cipher = createMessageCipher(
    { ...dependencies, keyring },
    {
      app,
      relayId,
      direction,
      decision: { source: "relay", ip: null, apiKeyId: null },
      author: { actor: { type: "system", id: "sealway" }, ip: null, requestId: null },
      maxFileBytes: MESSAGE_LIMITS.maxFileBytes,
      turns: task,
      onCounted: (values) => allowance.takeValues(values),
    },
  )
  const value = Buffer.from(PLACEHOLDER)
  return {
    count: (values) => cipher.count(values),
    sealer: (values, roles, dataSubject) => cipher.sealer(values, roles, dataSubject),
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

/** Returns a keyring that creates no data subject: what is sealed for one opens nowhere. */
function withoutSubjects(keyring: Keyring): Keyring {
  const subjects: Keyring["subjects"] = {
    ...keyring.subjects,
    async forSealing(app) {
      const { publicKeys } = await keyring.newest(app, "public")
      return createSubjectKey({
        subjectId: randomBytes(SUBJECT_ID_BYTES),
        key: randomBytes(KEY_BYTES),
        appPublicKey: publicKeys.prime256v1,
        debug: app.environment === "sandbox",
      })
    },
  }
  return { ...keyring, subjects }
}
