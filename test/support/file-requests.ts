import { uncompressPublicKey } from "@sealway/tokens"
import { importStreamKey, sealPart, startStream } from "@sealway/tokens/portable"
import * as z from "zod"
import type { Prerequisites } from "./grant-request.ts"

type FilePath = Record<"file_id", string>

/** Prepares the upload of a file of one byte. */
export async function prepareUpload(given: Prerequisites, role: string | null = null): Promise<FilePath> {
  const { id = "" } = await given.prepare("create-file", { body: { size: 1, role } })
  return { file_id: id }
}

/** Prepares a file whose only part is uploaded. */
export async function prepareUploadedFile(
  given: Prerequisites,
  role: string | null,
): Promise<{ readonly path: FilePath; readonly body: { readonly etags: readonly string[] } }> {
  const path = await prepareUpload(given, role)
  const answer = await given.prepare("create-file-part-urls", { path, body: { parts: [1] } })
  const { data } = z.object({ data: z.array(z.object({ url: z.string() })) }).parse(answer)
  const { pathname, searchParams } = new URL(data[0]?.url ?? "")
  const { ecdhP256Key = "" } = await given.prepare("get-keys", {})
  const appPublicKey = uncompressPublicKey("prime256v1", Buffer.from(ecdhP256Key, "base64"))
  const fields = { appPublicKey, debug: true, role, chunkBytes: 65_536, encryptedAt: 1 }
  const { header, key } = await startStream(fields)
  const place = { header, chunkBytes: 65_536, plaintextBytes: 1, start: 0 }
  const part = await sealPart(await importStreamKey(key), { ...place, plaintext: new Uint8Array(1) })
  // No gateway leads to the storage here.
  const { files, openObjects } = given.platform
  const upload = {
    key: pathname.split("/").slice(-2).join("/"),
    uploadId: searchParams.get("uploadId") ?? "",
  }
  const signed = await openObjects(files?.bucket ?? "").signPart(upload, { number: 1, size: part.length })
  const uploaded = await fetch(signed.url, { method: "PUT", body: Buffer.from(part) })
  const etag = uploaded.headers.get("etag") ?? ""
  return { path, body: { etags: [etag] } }
}

/** Prepares a file. */
export async function prepareFile(given: Prerequisites, role: string | null): Promise<FilePath> {
  const uploaded = await prepareUploadedFile(given, role)
  await given.prepare("complete-file", uploaded)
  return uploaded.path
}
