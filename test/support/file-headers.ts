import { randomBytes } from "node:crypto"
import {
  createWebEphemeralKey,
  DATA_OFFSET_AT,
  importWebAppKey,
  METADATA_AT,
  streamKeyInfo,
  writeStreamHeader,
} from "@sealway/tokens/testing"
import * as z from "zod"
import type { TestService } from "./service.ts"

const CHUNK_BYTES = 65_536

/**
 * Seals a file of one chunk, whose header is authentic and has metadata that Sealway does not write. The content has as
 * much less as the header has more: the sealed file is as long as one of the announced length.
 */
export async function sealWithLongHeader(service: TestService, announcedBytes: number): Promise<Buffer> {
  const { json } = await service.get("/keys")
  const { ecdhP256KeyUncompressed } = z.object({ ecdhP256KeyUncompressed: z.string() }).parse(json)
  const app = await importWebAppKey(Uint8Array.from(Buffer.from(ecdhP256KeyUncompressed, "base64")))
  const { publicKey, contentKeys } = await createWebEphemeralKey(app, (bytes) =>
    crypto.subtle.importKey("raw", bytes, "HKDF", false, ["deriveBits"]),
  )
  const salt = Uint8Array.from(randomBytes(32))
  const fields = { debug: true, role: null, chunkBytes: CHUNK_BYTES, encryptedAt: 1 }
  const usual = Buffer.from(writeStreamHeader({ ...fields, keySegment: publicKey, salt }))
  const more = Buffer.from("\xa1x\x01", "latin1")
  const header = lengthen(usual, more)
  const algorithm = { name: "HKDF", hash: "SHA-256", salt, info: streamKeyInfo(header, app.bytes) }
  const derived = Buffer.from(await crypto.subtle.deriveBits(algorithm, contentKeys, 512))
  const key = await crypto.subtle.importKey("raw", derived.subarray(0, 32), "AES-GCM", false, ["encrypt"])
  const content = randomBytes(announcedBytes - more.length)
  const iv = Uint8Array.of(...new Array(11).fill(0), 1)
  const chunk = Buffer.from(await crypto.subtle.encrypt({ name: "AES-GCM", iv }, key, content))
  return Buffer.concat([header, derived.subarray(32), chunk])
}

/** Adds an entry to the MessagePack map of the metadata, which the header ends with. */
function lengthen(usual: Buffer, entry: Buffer): Buffer {
  const header = Buffer.concat([usual, entry])
  for (const at of [DATA_OFFSET_AT, METADATA_AT]) {
    header.writeUInt16LE(header.readUInt16LE(at) + entry.length, at)
  }
  const countAt = METADATA_AT + 2
  header[countAt] = (header[countAt] ?? 0) + 1
  return header
}
