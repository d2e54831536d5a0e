import { randomBytes } from "node:crypto"
import { DamagedFileError, Sealway, SealwayError } from "@sealway/sdk"
import { beforeAll, describe, expect, test } from "vitest"
import { useService } from "../support/service.ts"

const service = useService()
const PART = 8 * 1024 * 1024
let sealway: Sealway

const clientWith = (fetch: typeof globalThis.fetch) =>
  new Sealway({
    baseUrl: service.url,
    appId: service.sandbox.app.id,
    apiKey: service.sandbox.auth.key,
    fetch,
  })

beforeAll(() => {
  sealway = clientWith(fetch)
})

const collect = async (pieces: AsyncIterable<Uint8Array>) => Buffer.concat(await Array.fromAsync(pieces))

describe("sealway.files", () => {
  test("uploads a Blob in parts, tells the progress, and downloads it whole and in ranges", async () => {
    const content = randomBytes(PART + 100_000)
    const told: number[] = []
    const blob = new Blob([content], { type: "image/tiff" })
    const file = await sealway.files.upload(blob, { name: "a.tiff", onProgress: (bytes) => told.push(bytes) })
    expect(file).toMatchObject({
      name: "a.tiff",
      contentType: "image/tiff",
      size: content.length,
      status: "ready",
    })
    expect(told).toEqual([PART, content.length])
    expect((await collect(sealway.files.download(file.id))).equals(content)).toBe(true)
    const range = { start: 70_000, end: 140_000 }
    expect(
      (await collect(sealway.files.download(file.id, range))).equals(content.subarray(70_000, 140_000)),
    ).toBe(true)
    await sealway.api.deleteFile({ fileId: file.id })
  })

  test("refuses with damaged-file a file whose stored bytes have changed, after what is authentic", async () => {
    const content = randomBytes(150_000)
    const { id } = await sealway.files.upload(new Blob([content]))
    const changing = clientWith(async (url, init) => {
      const response = await fetch(url, init)
      if (response.status !== 206) return response
      const bytes = new Uint8Array(await response.arrayBuffer())
      const last = bytes.length - 1
      bytes[last] = (bytes[last] ?? 0) ^ 1
      return new Response(bytes, { status: 206 })
    })
    const pieces: Uint8Array[] = []
    const read = async () => {
      for await (const piece of changing.files.download(id)) pieces.push(piece)
    }
    const error: unknown = await read().catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(DamagedFileError)
    expect(error).toBeInstanceOf(SealwayError)
    expect(error).toMatchObject({ code: "damaged-file" })
    expect(Buffer.concat(pieces).equals(content.subarray(0, 131_072))).toBe(true)
  })

  test("refuses to upload anything but a Blob before it sends something: TypeError", async () => {
    const silent = clientWith(() => Promise.reject(new Error("Something was sent")))
    const upload = () => Reflect.apply(silent.files.upload, undefined, [new Uint8Array(3)])
    await expect(upload()).rejects.toThrow(TypeError)
  })

  test("frees each piece of a download when the next one is asked for, if the caller wants that", async () => {
    const content = randomBytes(150_000)
    const { id } = await sealway.files.upload(new Blob([content]))
    const pieces: Uint8Array[] = []
    const copies: Buffer[] = []
    for await (const piece of sealway.files.download(id, { freesPieces: true })) {
      expect(pieces.map(({ length }) => length)).toEqual(pieces.map(() => 0))
      copies.push(Buffer.from(piece))
      pieces.push(piece)
    }
    expect(pieces.length).toBe(3)
    expect(Buffer.concat(copies).equals(content)).toBe(true)
  })

  test("uploads a file of a symmetric app", async () => {
    const { app, auth } = await service.newApp("sandbox")
    await service.patch(`/apps/${app.id}`, { sealing: "symmetric" }, { auth: service.team.auth })
    const { files } = new Sealway({ baseUrl: service.url, appId: app.id, apiKey: auth.key })
    const { id } = await files.upload(new Blob(["abc"]))
    expect((await collect(files.download(id))).toString()).toBe("abc")
  })

  test("sends a part again when the storage cannot be reached once", async () => {
    let lost = 1
    const unsteady: typeof fetch = (url, init) =>
      init?.method === "PUT" && lost-- > 0 ? Promise.reject(new TypeError("Lost")) : fetch(url, init)
    const { id } = await clientWith(unsteady).files.upload(new Blob(["abc"]))
    expect((await collect(sealway.files.download(id))).toString()).toBe("abc")
  })

  test("makes one file that can be read of two uploads at once with the same Idempotency-Key, or none", async () => {
    const content = randomBytes(2 * PART)
    const options = { idempotencyKey: "one-file" }
    const both = [1, 2].map(() => sealway.files.upload(new Blob([content]), options))
    for (const result of await Promise.allSettled(both)) {
      if (result.status === "rejected") expect(result.reason).toMatchObject({ code: "conflict" })
    }
    const { id } = await sealway.files.upload(new Blob([content]), options)
    expect((await collect(sealway.files.download(id))).equals(content)).toBe(true)
  })

  test("sends no credentials to the storage", async () => {
    const sent: unknown[] = []
    const watching: typeof fetch = (url, init) => {
      if (String(url).includes("/storage/")) sent.push(new Headers(init?.headers).get("authorization"))
      return fetch(url, init)
    }
    const client = clientWith(watching)
    const { id } = await client.files.upload(new Blob(["abc"]))
    await collect(client.files.download(id))
    expect(sent).toEqual([null, null])
  })

  test.each(["http://storage.example.com/part", "ftp://127.0.0.1/part", "nowhere"])(
    "sends nothing to %s where the service is reached over https",
    async (url) => {
      const origin = "https://sealway.example.com"
      const asked: string[] = []
      const rewriting: typeof fetch = async (address, init) => {
        asked.push(String(address))
        const answer = await fetch(String(address).replace(origin, service.url), init)
        const text = (await answer.text()).replaceAll(/"url":"[^"]*"/g, `"url":"${url}"`)
        return new Response(text, answer)
      }
      const { id } = await sealway.files.upload(new Blob(["abc"]))
      const { app, auth } = service.sandbox
      const client = new Sealway({ baseUrl: origin, appId: app.id, apiKey: auth.key, fetch: rewriting })
      const refusal = { code: "unexpected-response", message: "The answer has no address of the storage." }
      await expect(client.files.upload(new Blob(["abc"]))).rejects.toMatchObject(refusal)
      await expect(client.files.download(id).next()).rejects.toMatchObject(refusal)
      expect(asked.filter((each) => !each.startsWith(`${origin}/`))).toEqual([])
    },
  )

  test("refuses a role that does not exist, a file that policies forbid, and a range that is none", async () => {
    await expect(sealway.files.upload(new Blob(["a"]), { role: "none" })).rejects.toMatchObject({
      code: "invalid-request",
    })
    await service.newRole(service.sandbox.app, "shut")
    const { id } = await sealway.files.upload(new Blob(["a"]), { role: "shut" })
    await expect(collect(sealway.files.download(id))).rejects.toMatchObject({ code: "decrypt/forbidden" })
    const { id: open } = await sealway.files.upload(new Blob(["a"]))
    await expect(collect(sealway.files.download(open, { start: 2 }))).rejects.toThrow(RangeError)
  })
})
