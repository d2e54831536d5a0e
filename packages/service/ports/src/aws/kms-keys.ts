import { setTimeout as delay } from "node:timers/promises"
import {
  CreateKeyCommand,
  DecryptCommand,
  DeriveSharedSecretCommand,
  DescribeKeyCommand,
  EncryptCommand,
  GetPublicKeyCommand,
  type KMSClient,
  ListKeysCommand,
  ListResourceTagsCommand,
  ScheduleKeyDeletionCommand,
} from "@aws-sdk/client-kms"
import { KeyUnavailableError } from "@sealway/kernel"
import { decodeSubjectPublicKey } from "@sealway/tokens"
import { InvalidCiphertextError, type Keys, type ListedKey } from "../ports/keys.ts"

const PAGE = 1_000
/** Keys of others, in the same account. */
const NOT_OURS = new Set(["AccessDeniedException", "NotFoundException"])
const UNAVAILABLE = new Set([
  "DisabledException",
  "KeyUnavailableException",
  "KMSInvalidStateException",
  "NotFoundException",
])
/** How often KMS is asked for a key that it has just created: it may not know it everywhere yet. */
const LOOKS = 6
const LOOK_PAUSE_MS = 100

/** Keys of KMS. */
export function createKmsKeys(client: KMSClient): Keys {
  async function publicKeyOf(KeyId: string, looks = LOOKS, pauseMs = LOOK_PAUSE_MS): Promise<Buffer> {
    try {
      const { PublicKey } = await client.send(new GetPublicKeyCommand({ KeyId }))
      return decodeSubjectPublicKey("prime256v1", answered(PublicKey))
    } catch (error) {
      if (nameOf(error) !== "NotFoundException" || looks <= 1) throw error
    }
    await delay(pauseMs)
    return publicKeyOf(KeyId, looks - 1, 2 * pauseMs)
  }

  async function find(
    keyId: string,
    wanted: readonly (readonly [string, string])[],
  ): Promise<ListedKey | null> {
    const { Tags = [] } = await client.send(new ListResourceTagsCommand({ KeyId: keyId }))
    const tags = new Map(Tags.map(({ TagKey = "", TagValue = "" }) => [TagKey, TagValue]))
    if (!wanted.every(([key, value]) => tags.get(key) === value)) return null
    const { KeyMetadata: key } = await client.send(new DescribeKeyCommand({ KeyId: keyId }))
    if (key?.KeyUsage !== "KEY_AGREEMENT" || key.DeletionDate !== undefined) return null
    return { keyId, tags, createdAt: key.CreationDate?.getTime() ?? Number.POSITIVE_INFINITY }
  }

  return {
    async seal(KeyId, Plaintext, context) {
      const input = { KeyId, Plaintext, EncryptionContext: { ...context } }
      return answered((await client.send(new EncryptCommand(input))).CiphertextBlob)
    },

    async open(KeyId, CiphertextBlob, context) {
      try {
        const input = { KeyId, CiphertextBlob, EncryptionContext: { ...context } }
        return answered((await client.send(new DecryptCommand(input))).Plaintext)
      } catch (error) {
        const isOther = ["InvalidCiphertextException", "IncorrectKeyException"].includes(nameOf(error))
        throw isOther ? new InvalidCiphertextError("KMS does not open it.", { cause: error }) : error
      }
    },

    async createAgreementKey(tags) {
      const { KeyMetadata } = await client.send(
        new CreateKeyCommand({
          Description: "The private key of an app's key version",
          KeySpec: "ECC_NIST_P256",
          KeyUsage: "KEY_AGREEMENT",
          Tags: Object.entries(tags).map(([TagKey, TagValue]) => ({ TagKey, TagValue })),
        }),
      )
      const keyId = answered(KeyMetadata?.KeyId)
      return { keyId, publicKey: await publicKeyOf(keyId) }
    },

    async agree(KeyId, PublicKey) {
      try {
        const input = { KeyId, PublicKey, KeyAgreementAlgorithm: "ECDH" } as const
        return Buffer.from(answered((await client.send(new DeriveSharedSecretCommand(input))).SharedSecret))
      } catch (error) {
        const name = nameOf(error)
        if (name === "ValidationException") return null
        throw UNAVAILABLE.has(name) ? new KeyUnavailableError({ cause: error }) : error
      }
    },

    async *listAgreementKeys(tags) {
      const wanted = Object.entries(tags)
      let Marker: string | undefined
      do {
        const page = await client.send(new ListKeysCommand({ Limit: PAGE, ...(Marker && { Marker }) }))
        for (const { KeyId } of page.Keys ?? []) {
          const key = KeyId === undefined ? null : await unlessOthers(find(KeyId, wanted))
          if (key !== null) yield key
        }
        Marker = page.NextMarker
      } while (Marker !== undefined)
    },

    async scheduleDeletion(KeyId, PendingWindowInDays) {
      await client.send(new ScheduleKeyDeletionCommand({ KeyId, PendingWindowInDays }))
    },
  }
}

/** Returns what KMS answers by its documentation, though its types let it be absent. */
function answered<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error("KMS answered without what it was asked for")
  return value
}

async function unlessOthers<Value>(found: Promise<Value>): Promise<Value | null> {
  try {
    return await found
  } catch (error) {
    if (NOT_OURS.has(nameOf(error))) return null
    throw error
  }
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : ""
}
