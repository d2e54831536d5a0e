import { createPrivateKey, createSecretKey, type KeyObject } from "node:crypto"
import { readFile } from "node:fs/promises"
import { errorCodeOf, openBytes, sealBytes } from "@sealway/kernel"
import { z } from "zod"
import { KeyFileError, LaterVersionError, OTHERS_STAY } from "../errors.ts"
import { writeFileDurably } from "../write-file-durably.ts"
import type { KeyStoreContent, StoredKey } from "./key-store.ts"

/** Raised by each change that an older release could not read. The first release has 2. */
const LAYOUT = 2
const layoutSchema = z.looseObject({ version: z.int() })
const keySchema = z.strictObject({
  id: z.uuid(),
  description: z.string(),
  createdAt: z.iso.datetime(),
  /** Base64 of the key's secret, sealed with the master key and bound to the id. */
  wrappedSecret: z.base64(),
  /** Absent: `SYMMETRIC_DEFAULT`. */
  spec: z.literal("ECC_NIST_P256").optional(),
  /** When the key is going to be deleted. Absent: it is in use. */
  deletionDate: z.iso.datetime().optional(),
  /** Absent: none. */
  tags: z.array(z.strictObject({ key: z.string(), value: z.string() })).optional(),
})
const keyFile = z.strictObject({
  version: z.literal(LAYOUT),
  /** Of the data folder; null until it has one. */
  folderId: z.uuid().nullable(),
  keys: z.array(keySchema),
  aliases: z.array(z.strictObject({ name: z.string(), keyId: z.uuid() })),
})
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
  return parseKeyFile(text).folderId
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
    version: LAYOUT,
    folderId,
    keys: [...content.keys.values()].map((key) => ({
      id: key.id,
      description: key.description,
      createdAt: key.createdAt.toISOString(),
      wrappedSecret: sealBytes(masterKey, secretBytesOf(key), wrappingContext(key)).toString("base64"),
      ...(key.spec !== "SYMMETRIC_DEFAULT" && { spec: key.spec }),
      ...(key.deletionDate !== null && { deletionDate: key.deletionDate.toISOString() }),
      ...(key.tags.size > 0 && { tags: [...key.tags].map(([key, value]) => ({ key, value })) }),
    })),
    aliases: [...content.aliases].map(([name, keyId]) => ({ name, keyId })),
  }
  await writeFileDurably(path, Buffer.from(`${JSON.stringify(document, null, 2)}\n`))
}

function parseKeyFile(text: string): KeyFile {
  try {
    const content: unknown = JSON.parse(text)
    const layout = layoutSchema.safeParse(content).data?.version ?? LAYOUT
    if (layout > LAYOUT) throw new LaterVersionError("kms/keys.json", null)
    return keyFile.parse(content)
  } catch (error) {
    if (error instanceof LaterVersionError) throw error
    throw new KeyFileError(
      `The KMS key file is damaged. Nothing was changed. Restore kms/keys.json from a backup. ${OTHERS_STAY}`,
      { cause: error },
    )
  }
}

function secretBytesOf(key: StoredKey): Buffer {
  return key.spec === "SYMMETRIC_DEFAULT"
    ? key.secret.export()
    : key.secret.export({ format: "der", type: "pkcs8" })
}

function unwrap(record: z.infer<typeof keySchema>, masterKey: KeyObject): StoredKey {
  const { id, description, createdAt, spec = "SYMMETRIC_DEFAULT", deletionDate, tags = [] } = record
  const secret = openBytes(
    masterKey,
    Buffer.from(record.wrappedSecret, "base64"),
    wrappingContext({ id, spec }),
  )
  if (secret === null) {
    throw new KeyFileError(
      `The KMS key file was modified, or belongs to another master key. Nothing was changed. Restore kms/keys.json and kms/master-key from one backup. ${OTHERS_STAY}`,
    )
  }
  return {
    id,
    description,
    createdAt: new Date(createdAt),
    tags: new Map(tags.map(({ key, value }) => [key, value])),
    deletionDate: deletionDate === undefined ? null : new Date(deletionDate),
    spec,
    secret: importSecret(spec, secret),
  }
}

function importSecret(spec: StoredKey["spec"], secret: Buffer): KeyObject {
  if (spec === "SYMMETRIC_DEFAULT") return createSecretKey(secret)
  return createPrivateKey({ key: secret, format: "der", type: "pkcs8" })
}

/** Prevents a wrapped secret from being moved to another key's record, or used as a key of another kind. */
function wrappingContext({ id, spec }: Pick<StoredKey, "id" | "spec">): Buffer {
  const kind = spec === "SYMMETRIC_DEFAULT" ? "" : ` ${spec}`
  return Buffer.from(`sealway embedded kms key ${id}${kind}`)
}
