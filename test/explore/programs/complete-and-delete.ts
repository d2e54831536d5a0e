import { strict as assert } from "node:assert"
import { uncompressPublicKey } from "@sealway/tokens"
import { importStreamKey, sealPart, startStream } from "@sealway/tokens/portable"
import type { Program } from "../program.ts"
import { checkAuditLog, createAccount, isDone, prepare, sendUntilClear } from "../world/accounts.ts"
import { putPart } from "../world/storage.ts"
import type { Answer, ServiceProcess } from "../world/world.ts"

const CHUNK_BYTES = 65_536
/** How much content a part has. */
const PART_BYTES = 128 * CHUNK_BYTES

/** Seals a file of zeros. @returns its parts */
export async function sealFile(
  process: ServiceProcess,
  apiKey: string,
  { size = 1, chunkBytes = CHUNK_BYTES }: { readonly size?: number; readonly chunkBytes?: number } = {},
): Promise<readonly Uint8Array[]> {
  const { ecdhP256Key } = await prepare(process, "get-keys", { apiKey })
  const appPublicKey = uncompressPublicKey("prime256v1", Buffer.from(String(ecdhP256Key), "base64"))
  const { header, key } = await startStream({
    appPublicKey,
    debug: true,
    role: null,
    chunkBytes,
    encryptedAt: 1,
  })
  const streamKey = await importStreamKey(key)
  const parts: Uint8Array[] = []
  for (let start = 0; start < size; start += PART_BYTES) {
    const plaintext = new Uint8Array(Math.min(PART_BYTES, size - start))
    parts.push(await sealPart(streamKey, { header, chunkBytes, plaintextBytes: size, start, plaintext }))
  }
  return parts
}

export const completeAndDelete: Program = {
  name: "two complete an upload while another deletes it",
  promises: "a deleted file is gone with its bytes; a completed one that nobody deleted is whole",
  async prepare(world) {
    const process = world.start()
    const account = await createAccount(process)
    const { apiKey } = account
    const { id } = await prepare(process, "create-file", { apiKey, body: { size: 1 } })
    const pathParameters = { file_id: String(id) }
    const [part = new Uint8Array()] = await sealFile(process, apiKey)
    const [uploadId = ""] = world.bucket.uploads.keys()
    const etag = putPart(world.bucket, uploadId, 1, part)
    return (world) => {
      const completions: Answer[] = []
      let deletion: Answer = null
      const complete = (idempotencyKey: string) => async () => {
        const request = { apiKey, pathParameters, idempotencyKey, body: { etags: [etag] } }
        completions.push(await sendUntilClear(world, "complete-file", request))
      }
      return {
        actors: {
          complete: complete("first"),
          again: complete("second"),
          async delete() {
            const request = { apiKey, pathParameters, idempotencyKey: "delete" }
            deletion = await sendUntilClear(world, "delete-file", request)
          },
        },
        async check() {
          const found = await world.start().send("get-file", { apiKey, pathParameters })
          const isStored = found?.json.status === "ready"
          const hasBytes = world.bucket.objects.size > 0
          if (isDone(deletion) === true) {
            assert.equal(found?.status, 404, "a deleted file is still there")
            assert.ok(!hasBytes, "the bytes of a deleted file are still there")
            assert.equal(world.bucket.uploads.size, 0, "the upload of a deleted file is still there")
          } else if (isDone(deletion) === false && completions.some((answer) => isDone(answer))) {
            assert.ok(isStored, "a completed file is not there")
          }
          if (isStored && isDone(deletion) !== null) assert.ok(hasBytes, "a file has no bytes")
          await checkAuditLog(world.start(), account.team.id)
        },
      }
    }
  },
}
