import { createSecretKey, type KeyObject } from "node:crypto"
import { readFile } from "node:fs/promises"
import { errorCodeOf, openBytes, sealBytes } from "@sealway/kernel"
import { z } from "zod"
import { KeyFileError, LaterVersionError } from "../errors.ts"
import { writeFileDurably } from "../write-file-durably.ts"
import type { KeyStoreContent, KmsKey } from "./key-store.ts"

const contentShape = {
  keys: z.array(
    z.strictObject({
      id: z.uuid(),
      description: z.string(),
      createdAt: z.iso.datetime(),
      /** Base64 of the key's secret, sealed with the master key and bound to the id. */
      wrappedSecret: z.base64(),
    }),
  ),
  aliases: z.array(z.strictObject({ name: z.string(), keyId: z.uuid() })),
}
const LATEST_LAYOUT = 2
const layoutSchema = z.looseObject({ version: z.int() })
const keyFile = z.union([
  // The layout of Sealway 0.1.0, and of folders without an id.
  z.strictObject({ version: z.literal(1), ...contentShape }),
  z.strictObject({ version: z.literal(LATEST_LAYOUT), folderId: z.uuid(), ...contentShape }),
])
type KeyFile = z.infer<typeof keyFile>

/** Reads the text of the key file; null when there is none. */
export async function readKeyFile(path: string): Promise<string | null> {
  try {
    return await readFile(path, "utf8")
  } catch (error) {
    if (errorCodeOf(error) === "ENOENT") return null
    throw new KeyFileError(`The KMS key file ${path} cannot be read.`, { cause: error })
  }
}

/**
 * Returns the id of the data folder that a key file belongs to; null when it has none.
 *
 * @throws KeyFileError, LaterVersionError
 */
export function folderIdOf(text: string): string | null {
  const file = parseKeyFile(text)
  return file.version === 2 ? file.folderId : null
}

/**
 * Decodes a key file.
 *
 * @throws KeyFileError when the text is not one, or its keys were wrapped with another master key.
 */
export function decodeKeyFile(text: string, masterKey: KeyObject): KeyStoreContent {
  const { keys, aliases } = parseKeyFile(text)
  return {
    keys: new Map(keys.map((record) => [record.id, unwrap(record, masterKey)])),
    aliases: new Map(aliases.map(({ name, keyId }) => [name, keyId])),
  }
}

export async function writeKeyFile(
  path: string,
  content: KeyStoreContent,
  masterKey: KeyObject,
  folderId: string | null,
): Promise<void> {
  const document: KeyFile = {
    ...(folderId === null ? { version: 1 } : { version: LATEST_LAYOUT, folderId }),
    keys: [...content.keys.values()].map(({ id, description, createdAt, secret }) => ({
      id,
      description,
      createdAt: createdAt.toISOString(),
      wrappedSecret: sealBytes(masterKey, secret.export(), wrappingContext(id)).toString("base64"),
    })),
    aliases: [...content.aliases].map(([name, keyId]) => ({ name, keyId })),
  }
  await writeFileDurably(path, Buffer.from(`${JSON.stringify(document, null, 2)}\n`))
}

function parseKeyFile(text: string): KeyFile {
  try {
    const content: unknown = JSON.parse(text)
    const layout = layoutSchema.safeParse(content).data?.version ?? LATEST_LAYOUT
    if (layout > LATEST_LAYOUT) throw new LaterVersionError("kms/keys.json", null)
    return keyFile.parse(content)
  } catch (error) {
    if (error instanceof LaterVersionError) throw error
    throw new KeyFileError("The KMS key file is damaged. Restore it from a backup.", { cause: error })
  }
}

function unwrap(record: KeyFile["keys"][number], masterKey: KeyObject): KmsKey {
  const secret = openBytes(masterKey, Buffer.from(record.wrappedSecret, "base64"), wrappingContext(record.id))
  if (secret === null) {
    throw new KeyFileError(
      "The KMS key file was modified, or belongs to another master key. Restore both from a backup.",
    )
  }
  const { id, description, createdAt } = record
  return { id, description, createdAt: new Date(createdAt), secret: createSecretKey(secret) }
}

/** Prevents a wrapped secret from being moved to another key's record. */
function wrappingContext(keyId: string): Buffer {
  return Buffer.from(`sealway embedded kms key ${keyId}`)
}
