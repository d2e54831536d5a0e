import { randomBytes } from "node:crypto"
import { request } from "node:http"
import { fileRecords, uploadRecords } from "@sealway/files/testing"
import { createId } from "@sealway/kernel"
import { beforeAll, describe, expect, test } from "vitest"
import * as z from "zod"
import { sealWithLongHeader } from "../support/file-headers.ts"
import { createFileTransfer, grantSchema } from "../support/file-transfer.ts"
import { expectProblem } from "../support/problem.ts"
import { useService } from "../support/service.ts"

const service = useService()
const files = createFileTransfer(service)
const PART = 8 * 1024 * 1024

const idsIn = (json: unknown) =>
  z
    .object({ data: z.array(z.object({ id: z.string() })) })
    .parse(json)
    .data.map(({ id }) => id)

beforeAll(async () => {
  const { app } = service.sandbox
  for (const role of ["open", "shut"]) await service.newRole(app, role)
  const policy = { name: "All", effect: "permit", roles: ["open"], conditions: {} }
  expect((await service.post("/data-policies", policy)).status).toBe(201)
})

async function granted(id: string) {
  const { status, json, text } = await files.decrypt(id)
  expect(status, text).toBe(200)
  return grantSchema.parse(json)
}

describe("a file", () => {
  test.each([0, 1, 65_536, 65_537, PART, PART + 1])(
    "of %d bytes comes back as it was uploaded, whole and in ranges",
    async (size) => {
      const content = randomBytes(size)
      const { id, status } = await files.upload(content, { role: "open", name: "a.bin" })
      expect(status).toBe("ready")
      const grant = await granted(id)
      expect((await files.read(grant)).equals(content)).toBe(true)
      for (const [start, end] of [
        [0, Math.min(10, size)],
        [Math.max(0, size - 10), size],
        [Math.floor(size / 2), Math.min(size, Math.floor(size / 2) + 100_000)],
      ] as const) {
        expect((await files.read(grant, { start, end })).equals(content.subarray(start, end))).toBe(true)
      }
    },
  )

  test("is listed when it is ready, and listed apart while it is being uploaded", async () => {
    const uploading = await files.create({
      size: 5,
      name: "half.txt",
      contentType: "text/plain; charset=utf-8",
    })
    const { id } = await files.upload(Buffer.from("whole"))
    const [ready, others] = [await service.get("/files"), await service.get("/files?status=uploading")]
    expect(idsIn(ready.json)).toContain(id)
    expect(idsIn(ready.json)).not.toContain(uploading.id)
    expect(idsIn(others.json)).toContain(uploading.id)
    expect((await service.get(`/files/${uploading.id}`)).json).toMatchObject({
      name: "half.txt",
      contentType: "text/plain; charset=utf-8",
      role: null,
      size: 5,
      completedAt: null,
      status: "uploading",
      upload: { chunkBytes: 65_536, partBytes: PART, parts: 1 },
    })
    expect((await service.get(`/files/${id}`)).json).toMatchObject({ status: "ready", upload: null })
  })

  test("is on one page of a list, newest first", async () => {
    const { auth } = await service.newApp("sandbox", ["file:read", "file:write"])
    const { platform } = service.service
    const ids = [1, 2, 3].map((ms) => createId("file", ms)).toReversed()
    for (const id of ids) {
      const file = {
        id,
        name: null,
        contentType: "text/plain",
        role: null,
        size: 1,
        createdAt: 1,
        revision: 1,
      }
      await fileRecords.create(platform.configTable, auth.user, { ...file, header: "", completedAt: 1 })
    }
    const [first = "", second = "", third = ""] = ids
    const page = (query: string) => service.get(`/files?limit=2${query}`, { auth })
    const pages = [
      await page(""),
      await page(`&startingAfter=${second}`),
      await page(`&startingAfter=${first}`),
    ]
    expect(pages.map(({ json }) => json)).toMatchObject([
      { data: [{ id: first }, { id: second }], hasMore: true },
      { data: [{ id: third }], hasMore: false },
      { data: [{ id: second }, { id: third }], hasMore: false },
    ])
  })

  test("cannot be decrypted while it is being uploaded, nor completed before all parts are there", async () => {
    const content = randomBytes(PART + 5)
    const file = await files.create({ size: content.length })
    const [first = Buffer.alloc(0), second = Buffer.alloc(0)] = await files.seal(file, content)
    expectProblem(await files.decrypt(file.id), "not-found")
    expectProblem(await files.complete(file.id), "conflict")
    const urls = await files.urlsOf(file.id, [1, 2])
    await files.put(urls[1]?.url ?? "", second)
    const missing = await files.complete(file.id)
    expectProblem(missing, "conflict")
    expect(missing.text).toContain("1 of 2 parts are missing, the first is 1")
    expect((await service.get(`/files/${file.id}/parts`)).json).toEqual({
      data: [{ number: 2, size: second.length, etag: expect.stringMatching(/^[0-9a-f]{32}$/) }],
      hasMore: false,
    })
    await files.put(urls[0]?.url ?? "", first)
    expect((await files.complete(file.id)).status).toBe(200)
    expect((await files.read(await granted(file.id))).equals(content)).toBe(true)
  })

  test("is completed once, however often and at the same time it is asked for", async () => {
    const file = await files.create({ size: 3 })
    await files.send(file, await files.seal(file, Buffer.from("abc")))
    const answers = await Promise.all([1, 2, 3].map(() => files.complete(file.id)))
    for (const { status, text } of [...answers, await files.complete(file.id)]) expect(status, text).toBe(200)
    expect((await files.read(await granted(file.id))).toString()).toBe("abc")
    expectProblem(await service.post(`/files/${file.id}/part-urls`, { parts: [1] }), "not-found")
  })

  test("is made of the parts of one upload only, when two send parts of the same file", async () => {
    const content = randomBytes(PART + 5)
    const file = await files.create({ size: content.length })
    const [ours, theirs] = [await files.seal(file, content), await files.seal(file, content)]
    const etags = await files.send(file, ours)
    const [, url] = await files.urlsOf(file.id, [1, 2])
    const put = async (part: Uint8Array = Buffer.alloc(0)) =>
      (await files.put(url?.url ?? "", part)).headers.get("etag") ?? ""
    const other = await put(theirs[1])
    for (const named of [etags, [], etags.slice(0, 1), [other, ...etags]]) {
      const refused = await files.complete(file.id, {}, named)
      expectProblem(refused, "conflict")
      expect(refused.text).toMatch(/Part [12] is not the one/)
    }
    expect((await files.complete(file.id, {}, [etags[0] ?? "", await put(ours[1])])).status).toBe(200)
    expect((await files.read(await granted(file.id))).equals(content)).toBe(true)
  })

  test("is gone when it is deleted, with everything that could be read of it", async () => {
    const { id } = await files.upload(Buffer.from("secret"))
    const grant = await granted(id)
    expect((await service.delete(`/files/${id}`)).status).toBe(204)
    expectProblem(await service.get(`/files/${id}`), "not-found")
    expectProblem(await files.decrypt(id), "not-found")
    expectProblem(await service.delete(`/files/${id}`), "not-found")
    expect((await fetch(grant.url)).status).toBe(404)
  })

  test("accepts no parts when its upload is deleted", async () => {
    const file = await files.create({ size: 3 })
    const parts = await files.seal(file, Buffer.from("abc"))
    const [url] = await files.urlsOf(file.id, [1])
    expect((await service.delete(`/files/${file.id}`)).status).toBe(204)
    expect((await files.put(url?.url ?? "", parts[0] ?? Buffer.alloc(0))).status).toBe(404)
    expectProblem(await files.complete(file.id), "not-found")
  })

  test("is refused as ever where policies permit masks only: a file has none", async () => {
    const role = { slug: "masked", name: "Masked", mask: { type: "name" } }
    expect((await service.post("/data-roles", role)).status).toBe(201)
    const policy = { name: "M", effect: "permit", reveal: "masked", roles: ["masked"], conditions: {} }
    expect((await service.post("/data-policies", policy)).status).toBe(201)
    const { id } = await files.upload(Buffer.from("a"), { role: "masked" })
    expectProblem(await files.decrypt(id), "decrypt/forbidden")
  })

  test("leaves an access record, and a record of each refusal in the audit log", async () => {
    const open = await files.upload(Buffer.from("a"), { role: "open" })
    const shut = await files.upload(Buffer.from("a"), { role: "shut" })
    await granted(open.id)
    expectProblem(await files.decrypt(shut.id), "decrypt/forbidden")
    await service.service.platform.accessLog.flush()
    const access = await service.get("/access-logs?limit=1")
    expect(access.json).toMatchObject({ data: [{ source: "api", roles: { open: 1 }, total: 1 }] })
    const audit = await service.get("/audit-logs?action=decryption.refused&limit=1", {
      auth: service.team.auth,
    })
    expect(audit.json).toMatchObject({
      data: [{ action: "decryption.refused", details: { endpoint: "decrypt-file", role: "shut" } }],
    })
  })
})

/** `fetch` sends none. */
function statusOfGetWithBody(url: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { method: "GET", headers: { "content-length": 3 } }, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
    asked.on("error", reject).end("abc")
  })
}

describe("an upload that has ended", () => {
  const DAY_MS = 24 * 60 * 60 * 1000
  const table = () => service.service.platform.configTable

  async function end(id: string, daysAgo: number) {
    const upload = await uploadRecords.find(table(), service.sandbox.app.id, { id })
    if (upload === null) throw new Error("There is no upload")
    await uploadRecords.replace(table(), service.sandbox.app.id, {
      ...upload,
      endsAt: Date.now() - daysAgo * DAY_MS,
    })
  }

  test("accepts no parts, cannot be completed, and is removed by a new one a day later", async () => {
    const file = await files.create({ size: 3 })
    await files.send(file, await files.seal(file, Buffer.from("abc")))
    await end(file.id, 0.5)
    expectProblem(await service.post(`/files/${file.id}/part-urls`, { parts: [1] }), "conflict")
    expectProblem(await files.complete(file.id), "conflict")
    await files.create({ size: 1 })
    expect((await service.get(`/files/${file.id}`)).status).toBe(200)
    await end(file.id, 2)
    await files.create({ size: 1 })
    expectProblem(await service.get(`/files/${file.id}`), "not-found")
  })

  test("is removed even if its file has no record", async () => {
    const { app } = service.sandbox
    const file = await files.create({ size: 3 })
    const place = await fileRecords.find(table(), app.id, file)
    if (place === null) throw new Error("There is no place")
    await fileRecords.remove(table(), app.id, place)
    await end(file.id, 2)
    await files.create({ size: 1 })
    expect(await uploadRecords.find(table(), app.id, file)).toBeNull()
  })

  test("is removed without the file that it became, when a crash has left its record", async () => {
    const file = await files.create({ size: 3 })
    const left = await uploadRecords.find(table(), service.sandbox.app.id, file)
    if (left === null) throw new Error("There is no upload")
    await files.send(file, await files.seal(file, Buffer.from("abc")))
    expect((await files.complete(file.id)).status).toBe(200)
    await uploadRecords.create(table(), service.sandbox.app.id, { ...left, endsAt: Date.now() - 2 * DAY_MS })
    await files.create({ size: 1 })
    expect(await uploadRecords.find(table(), service.sandbox.app.id, left)).toBeNull()
    expect((await files.read(await granted(file.id))).toString()).toBe("abc")
  })
})

describe("a file of a symmetric app", () => {
  let auth = { user: "", key: "" }
  const sealSymmetrically = (id: string) =>
    service.patch(`/apps/${id}`, { sealing: "symmetric" }, { auth: service.team.auth })

  beforeAll(async () => {
    const { app, ...identity } = await service.newApp("sandbox")
    auth = identity.auth
    expect((await sealSymmetrically(app.id)).status).toBe(200)
    await service.newRole(app, "open")
    const policy = { name: "All", effect: "permit", roles: ["open"], conditions: {} }
    expect((await service.post("/data-policies", policy, { auth })).status).toBe(201)
  })

  test("comes back as it was uploaded, also after the app seals to its public key again", async () => {
    const identity = await service.newApp("sandbox")
    const options = { auth: identity.auth }
    await sealSymmetrically(identity.app.id)
    const content = randomBytes(PART + 5)
    const { id } = await files.upload(content, {}, options)
    await service.patch(`/apps/${identity.app.id}`, { sealing: "public-key" }, { auth: service.team.auth })
    await service.post(`/apps/${identity.app.id}/keys/rotate`, undefined, { auth: service.team.auth })
    const { json } = await files.decrypt(id, options)
    expect((await files.read(grantSchema.parse(json))).equals(content)).toBe(true)
  })

  test("gets another header and key each time, which are no other file's", async () => {
    const [one, two] = [await files.create({ size: 3 }, { auth }), await files.create({ size: 3 }, { auth })]
    const started = await Promise.all([one, one, two].map(({ id }) => files.keyOf(id, { auth })))
    const texts = started.flatMap(({ header, key }) => [header, key].map((each) => each.toString()))
    expect(new Set(texts).size).toBe(6)
    for (const { header } of started) expect(header.length).toBe(started[0]?.header.length)
  })

  test("is refused when its header names another role, another app's key, or a changed commitment", async () => {
    const other = await service.newApp("sandbox")
    await sealSymmetrically(other.app.id)
    const without = await files.create({ size: 3 }, { auth })
    const theirs = await files.create({ size: 3 }, other)
    const content = Buffer.from("abc")
    const role = await files.seal(without, content, null, { auth })
    const app = await files.seal(theirs, content, null, other)
    const [changed = Buffer.alloc(0)] = await files.seal(without, content, null, { auth })
    changed[changed.length - 3 - 16 - 1] = (changed.at(-3 - 16 - 1) ?? 0) ^ 1
    for (const [parts, input] of [
      [role, { role: "open" }],
      [app, {}],
      [[changed], {}],
    ] as const) {
      const file = await files.create({ size: parts[0]?.length === 0 ? 0 : 3, ...input }, { auth })
      const [url] = await files.urlsOf(file.id, [1], { auth })
      // The header of another role has another length.
      const part = Buffer.concat(parts, url?.size ?? 0)
      await files.put(url?.url ?? "", part)
      expectProblem(await files.complete(file.id, { auth }), "invalid-request")
    }
  })

  test("gets no key for an upload that there is not, that has ended or is another app's, or without the scope", async () => {
    const ask = (id: string, options: object) => service.call("POST", `/files/${id}/key`, undefined, options)
    const { id } = await files.create({ size: 3 }, { auth })
    const other = await service.newApp("sandbox")
    await sealSymmetrically(other.app.id)
    expectProblem(await ask(id, { auth: other.auth }), "not-found")
    expectProblem(await ask("file_00000000000000000000000000", { auth }), "not-found")
    expectProblem(await ask(id, { auth: null }), "unauthorized")
    expect((await service.delete(`/files/${id}`, { auth })).status).toBe(204)
    expectProblem(await ask(id, { auth }), "not-found")
    const publicKey = await files.create({ size: 3 })
    expectProblem(await ask(publicKey.id, {}), "conflict")
    const reader = await service.newKey(service.sandbox.app, ["file:read"])
    expectProblem(await ask(publicKey.id, { auth: reader }), "forbidden")
  })
})

describe("an attack on a file fails", () => {
  async function uploaded(content = randomBytes(PART + 70_000)) {
    const file = await files.create({ size: content.length, role: "shut" })
    const parts = await files.seal(file, content)
    return { file, parts, content }
  }

  test("when the header names another role than the one that was announced", async () => {
    const content = randomBytes(100)
    const file = await files.create({ size: content.length, role: "shut" })
    const parts = await files.seal(file, content, "open")
    await files.send(file, parts)
    expectProblem(await files.complete(file.id), "invalid-request")
    expectProblem(await service.get(`/files/${file.id}`), "not-found")
  })

  test("when the role in the header is overwritten", async () => {
    const { file, parts } = await uploaded(randomBytes(100))
    const [part = Buffer.alloc(0)] = parts
    const open = Buffer.from(part)
    open.write("open", part.indexOf("shut"))
    const announced = await files.create({ size: 100, role: "open" })
    await files.send(announced, [open])
    expectProblem(await files.complete(announced.id), "invalid-request")
    await files.send(file, parts)
    expect((await files.complete(file.id)).status).toBe(200)
  })

  test("when it was sealed to another app, or is no file at all", async () => {
    const other = await service.newApp("sandbox")
    const content = randomBytes(100)
    const file = await files.create({ size: 100, role: "open" })
    const sealed = await files.seal(file, content, "open", { auth: other.auth })
    await files.send(file, sealed)
    expectProblem(await files.complete(file.id), "invalid-request")
    const noise = await files.create({ size: 100, role: "open" })
    await files.send(noise, [randomBytes(sealed[0]?.length ?? 0)])
    expectProblem(await files.complete(noise.id), "invalid-request")
  })

  test("when its header is longer than announced, so that its content is shorter", async () => {
    const file = await files.create({ size: 100 })
    await files.send(file, [await sealWithLongHeader(service, 100)])
    expectProblem(await files.complete(file.id), "invalid-request")
  })

  test("when it is another app's: it does not exist", async () => {
    const { id } = await files.upload(Buffer.from("a"), { role: "open" })
    const { auth } = await service.newApp("sandbox")
    const upload = await files.create({ size: 1 })
    for (const path of [`/files/${id}`, `/files/${upload.id}`, `/files/${upload.id}/parts`]) {
      expectProblem(await service.get(path, { auth }), "not-found")
    }
    expectProblem(await files.decrypt(id, { auth }), "not-found")
    expectProblem(await files.complete(upload.id, { auth }), "not-found")
    expectProblem(await service.delete(`/files/${id}`, { auth }), "not-found")
    expectProblem(await service.post(`/files/${upload.id}/part-urls`, { parts: [1] }, { auth }), "not-found")
  })

  test("when a part is replaced after the file was completed", async () => {
    const file = await files.create({ size: 3, role: "open" })
    const parts = await files.seal(file, Buffer.from("abc"))
    const [url] = await files.urlsOf(file.id, [1])
    await files.put(url?.url ?? "", parts[0] ?? Buffer.alloc(0))
    expect((await files.complete(file.id)).status).toBe(200)
    const [other = Buffer.alloc(0)] = await files.seal(file, Buffer.from("xyz"))
    expect((await files.put(url?.url ?? "", other)).status).toBe(404)
    expect((await files.read(await granted(file.id))).toString()).toBe("abc")
  })

  test("when a part is longer or shorter than it must be, or sent to another part's or file's URL", async () => {
    const { file, parts } = await uploaded()
    const [first = Buffer.alloc(0), second = Buffer.alloc(0)] = parts
    const urls = await files.urlsOf(file.id, [1, 2])
    const [one = "", two = ""] = urls.map(({ url }) => url)
    for (const [url, bytes] of [
      [one, first.subarray(1)],
      [one, Buffer.concat([first, Buffer.of(0)])],
      [one, second],
      [two.replace("partNumber=2", "partNumber=1"), second],
      [two.replace(file.id, (await files.create({ size: 1 })).id), second],
      [one.replace(/X-Amz-Expires=\d+/, "X-Amz-Expires=604800"), first],
      [one.replace(/X-Amz-Signature=..../, "X-Amz-Signature=0000"), first],
      [one.replace(/[?&]X-Amz-Signature=[0-9a-f]+/, ""), first],
      [one.replace("?", "?partNumber=2&"), first],
      [`${one}&partNumber=1`, first],
      [`${one}&X-Amz-Expires=604800`, first],
      [one.replace(`/${file.id}`, `%2f${file.id}`), first],
      [one.replace("/storage/", "/storage//"), first],
    ] as const) {
      expect((await files.put(url, bytes)).status).toBe(403)
    }
    expect((await fetch(one)).status).toBe(403)
    expect((await service.get(`/files/${file.id}/parts`)).json).toEqual({ data: [], hasMore: false })
  })

  test("when parts are swapped, repeated, or another file's: nobody can read it", async () => {
    const { file, parts, content } = await uploaded()
    const { file: otherFile, parts: otherParts } = await uploaded(content)
    const [first = Buffer.alloc(0), second = Buffer.alloc(0)] = parts
    const open = await files.create({ size: content.length, role: "open" })
    const [openFirst = Buffer.alloc(0)] = await files.seal(open, content)
    await files.send(open, [openFirst, otherParts[1] ?? Buffer.alloc(0)])
    expect((await files.complete(open.id)).status).toBe(200)
    await expect(files.read(await granted(open.id))).rejects.toThrow("cannot be decrypted")
    await files.send(otherFile, [first, second])
    expect((await files.complete(otherFile.id)).status).toBe(200)
    expectProblem(await files.decrypt(otherFile.id), "decrypt/forbidden")
    expect((await service.delete(`/files/${file.id}`)).status).toBe(204)
  })

  test("when the URL of one file is used with the key of another", async () => {
    const [one, two] = [await files.upload(Buffer.from("one")), await files.upload(Buffer.from("two"))]
    const [first, second] = [await granted(one.id), await granted(two.id)]
    await expect(files.read({ ...first, url: second.url })).rejects.toThrow("cannot be decrypted")
    expect((await fetch(first.url.replace(one.id, two.id))).status).toBe(403)
  })

  test("when the storage is asked without a presigned URL", async () => {
    const { id } = await files.upload(Buffer.from("one"))
    const { url } = await granted(id)
    const bare = url.slice(0, url.indexOf("?"))
    for (const method of ["GET", "HEAD", "PUT", "DELETE", "POST"]) {
      expect((await fetch(bare, { method })).status).toBe(403)
      expect((await fetch(url, { method })).status).toBe(method === "GET" ? 200 : 403)
    }
    expect(await statusOfGetWithBody(url)).toBe(403)
  })
})

describe("the bytes of a sealed file", () => {
  test.each(["/encrypt", "/decrypt", "/rewrap"])(
    "are refused by %s, which names the endpoint for them",
    async (path) => {
      const { id } = await files.upload(Buffer.from("abc"))
      const sealed = Buffer.from(await (await fetch((await granted(id)).url)).arrayBuffer())
      const answer = await service.post(path, sealed, { contentType: "application/octet-stream" })
      expectProblem(answer, "invalid-request")
      expect(answer.text).toContain("POST /files/{file_id}/decrypt")
    },
  )

  test("are encrypted like any others when they only start like one", async () => {
    const octets = { contentType: "application/octet-stream" }
    const bytes = Buffer.concat([Buffer.from("%EVENC\x05"), randomBytes(200)])
    const sealed = await service.post("/encrypt", bytes, octets)
    expect(sealed.status).toBe(200)
    expect((await service.post("/decrypt", sealed.bytes, octets)).bytes.equals(bytes)).toBe(true)
  })
})

describe("a request about files is refused", () => {
  test.each([
    [{}, "/size"],
    [{ size: -1 }, "/size"],
    [{ size: 1.5 }, "/size"],
    [{ size: 256 * 1024 ** 3 + 1 }, "/size"],
    [{ size: 1, role: "NO" }, "/role"],
    [{ size: 1, role: "missing" }, "/role"],
    [{ size: 1, name: "a\u0000" }, "/name"],
    [{ size: 1, contentType: "nonsense" }, "/contentType"],
    [{ size: 1, more: 1 }, ""],
  ])("when the file is %j", async (input, pointer) => {
    const answer = await service.post("/files", input)
    expectProblem(answer, "invalid-request")
    expect(answer.text).toContain(pointer)
  })

  test.each([[[]], [[0]], [[2]], [[10_001]], [Array.from({ length: 101 }, () => 1)], [["1"]]])(
    "when the parts are %j",
    async (parts) => {
      const { id } = await files.create({ size: 1 })
      expectProblem(await service.post(`/files/${id}/part-urls`, { parts }), "invalid-request")
    },
  )

  test.each([[{}], [{ etags: "a" }], [{ etags: [""] }], [{ etags: ["a".repeat(65)] }], [{ etags: [1] }]])(
    "when it is completed with %j",
    async (body) => {
      const { id } = await files.create({ size: 1 })
      expectProblem(await service.post(`/files/${id}/complete`, body), "invalid-request")
    },
  )

  test("without credentials, and without the scope", async () => {
    const { app } = service.sandbox
    const { id } = await files.upload(Buffer.from("a"))
    expectProblem(await service.post("/files", { size: 1 }, { auth: null }), "unauthorized")
    expectProblem(await files.decrypt(id, { auth: null }), "unauthorized")
    const reader = await service.newKey(app, ["file:read"])
    const writer = await service.newKey(app, ["file:write"])
    expectProblem(await service.post("/files", { size: 1 }, { auth: reader }), "forbidden")
    expectProblem(await files.decrypt(id, { auth: reader }), "forbidden")
    expectProblem(await files.decrypt(id, { auth: writer }), "forbidden")
    expectProblem(await service.get(`/files/${id}`, { auth: writer }), "forbidden")
  })

  test("when it is too large", async () => {
    expectProblem(await service.post("/files", { size: 1, name: "a".repeat(20_000) }), "payload-too-large")
  })

  test("when the app has 100 uploads, until one of them is deleted", async () => {
    const { auth } = await service.newApp("sandbox")
    const created = await Promise.all(Array.from({ length: 100 }, () => files.create({ size: 1 }, { auth })))
    expectProblem(await service.post("/files", { size: 1 }, { auth }), "conflict")
    expect((await service.delete(`/files/${created[0]?.id}`, { auth })).status).toBe(204)
    await files.create({ size: 1 }, { auth })
  })
})

test("creates one upload for a request that is repeated with an Idempotency-Key", async () => {
  const headers = { "idempotency-key": "files-1" }
  const [first, second] = [
    await files.create({ size: 1 }, { headers }),
    await files.create({ size: 1 }, { headers }),
  ]
  expect(second.id).toBe(first.id)
})
