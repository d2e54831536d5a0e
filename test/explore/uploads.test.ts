import { expect, test } from "vitest"
import { sealFile } from "./programs/complete-and-delete.ts"
import { createAccount, prepare } from "./world/accounts.ts"
import { putPart } from "./world/storage.ts"
import { World } from "./world/world.ts"

const DAY_MS = 86_400_000

/** A world whose clock stands still between two requests, with a file that is being uploaded. */
async function worldWithUpload(size = 1) {
  const world = new World()
  const { apiKey } = await createAccount(world.start())
  const { id, createdAt } = await prepare(world.start(), "create-file", { apiKey, body: { size } })
  const pathParameters = { file_id: String(id) }
  const [uploadId = ""] = world.bucket.uploads.keys()
  const send = (endpointId: string, body?: object) =>
    world.start().send(endpointId, { apiKey, pathParameters, ...(body && { body }) })
  return {
    world,
    endsAt: Number(createdAt) + 7 * DAY_MS,
    send,
    createAnother: () => prepare(world.start(), "create-file", { apiKey, body: { size: 1 } }),
    /** Uploads parts, and completes the file. */
    async complete(parts?: readonly Uint8Array[]) {
      const sent = parts ?? (await sealFile(world.start(), apiKey, { size }))
      const etags = sent.map((part, index) => putPart(world.bucket, uploadId, index + 1, part))
      return send("complete-file", { etags })
    },
    seal: (chunkBytes: number) => sealFile(world.start(), apiKey, { size, chunkBytes }),
  }
}

test("a new upload removes one that ended more than a day before, to the millisecond", async () => {
  const { world, endsAt, send, createAnother } = await worldWithUpload()
  await world.sleep(endsAt + DAY_MS - world.nowMs)
  await createAnother()
  expect(await send("get-file")).toMatchObject({ status: 200 })
  await world.sleep(1)
  await createAnother()
  expect(await send("get-file")).toMatchObject({ status: 404 })
})

test("a file whose parts the storage lists on several pages is completed with all of them", async () => {
  const size = 8 * 1024 ** 2 + 1
  const { world, complete } = await worldWithUpload(size)
  expect(await complete()).toMatchObject({ status: 200, json: { status: "ready", size } })
  expect([...world.bucket.objects.values()][0]?.length).toBeGreaterThan(size)
})

test("a file that was sealed in chunks of another size is refused, and removed", async () => {
  const { world, complete, seal, send } = await worldWithUpload()
  expect(await complete(await seal(4_096))).toMatchObject({ status: 400, json: { code: "invalid-request" } })
  expect(await send("get-file")).toMatchObject({ status: 404 })
  expect(world.bucket.objects.size).toBe(0)
})
