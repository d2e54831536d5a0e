import { KeyUnavailableError } from "@sealway/kernel"
import { InvalidCiphertextError, type Keys, UnavailableError } from "@sealway/ports"
import * as z from "zod"
import type { Call } from "../calls/create-caller.ts"
import type { Methods } from "../calls/serve-calls.ts"

const bytesSchema = z.base64().transform((text) => Buffer.from(text, "base64"))
const encode = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64")

/**
 * Returns the methods by which another process uses keys of this one: those that the role of relays has in the cloud.
 *
 * @param key the name of the only symmetric key that it may use
 */
export function keyMethods(keys: Keys, key: string): Methods {
  const sealed = z.object({
    key: z.literal(key),
    bytes: bytesSchema,
    context: z.record(z.string(), z.string()),
  })
  const agreed = z.object({ keyId: z.string(), bytes: bytesSchema })
  return new Map<string, (input: unknown) => Promise<unknown>>([
    [
      "keys.seal",
      async (input) => {
        const { key, bytes, context } = sealed.parse(input)
        return encode(await keys.seal(key, bytes, context))
      },
    ],
    [
      "keys.open",
      async (input) => {
        const { key, bytes, context } = sealed.parse(input)
        return encode(await keys.open(key, bytes, context))
      },
    ],
    [
      "keys.agree",
      async (input) => {
        const { keyId, bytes } = agreed.parse(input)
        const secret = await keys.agree(keyId, bytes)
        return secret === null ? null : encode(secret)
      },
    ],
  ])
}

/** The keys of the process that serves `keyMethods`. Others neither create keys nor list or delete them. */
export function keysOver(call: Call): Keys {
  const answerTo = async <Answer>(method: string, input: object, schema: z.ZodType<Answer>) => {
    try {
      return schema.parse(await call(method, input))
    } catch (error) {
      throw errorOf(error)
    }
  }
  const refuse = () => {
    throw new TypeError("Only the process with the keys creates, lists and deletes them")
  }
  return {
    seal: (key, plaintext, context) =>
      answerTo("keys.seal", { key, bytes: encode(plaintext), context }, bytesSchema),
    open: (key, ciphertext, context) =>
      answerTo("keys.open", { key, bytes: encode(ciphertext), context }, bytesSchema),
    agree: (keyId, publicKey) =>
      answerTo("keys.agree", { keyId, bytes: encode(publicKey) }, bytesSchema.nullable()),
    createAgreementKey: refuse,
    listAgreementKeys: refuse,
    scheduleDeletion: refuse,
  }
}

function errorOf(error: unknown): Error {
  const { name, message } = error instanceof Error ? error : new Error("The keys cannot be reached.")
  if (name === "KeyUnavailableError") return new KeyUnavailableError()
  if (name === "InvalidCiphertextException") return new InvalidCiphertextError(message)
  if (name === "TypeError" || name === "ZodError") return new TypeError(message)
  return new UnavailableError(message, { cause: error })
}
