import { randomBytes } from "node:crypto"
import { mkdtemp, readdir, readFile, rm, stat, symlink, utimes, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type SendRequest, sendRequest } from "@sealway/cli/testing"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { useService } from "../support/service.ts"
import { type CliOptions, runAgainst } from "./cli.ts"

const service = useService()
let folder = ""
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sealway-files-"))
  await service.newRole(service.sandbox.app, "open")
  const policy = { name: "All", effect: "permit", roles: ["open"], conditions: {} }
  expect((await service.post("/data-policies", policy)).status).toBe(201)
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const sealway = (args: readonly string[], options?: CliOptions) =>
  runAgainst(service, ["files", ...args], { folder, sleep: async () => undefined, ...options })
const at = (name: string) => join(folder, name)
const PART = 8 * 1024 * 1024

/** Requests of the storage fail after some that succeed. */
function failing(method: string, after: number): SendRequest {
  let left = after
  return async (url, request) => {
    if (url.includes("/storage/") && request.method === method && left-- <= 0) throw new Error("It is lost")
    return sendRequest(url, request)
  }
}

/** The first answers of the storage break off after some bytes. */
function breaking(times: number, bytes: number): SendRequest {
  let left = times
  return async (url, request) => {
    const answer = await sendRequest(url, request)
    if (!url.includes("/storage/") || left-- <= 0 || answer.body === null) return answer
    const { body } = answer
    async function* broken() {
      let sent = 0
      for await (const piece of body) {
        if (sent + piece.length > bytes) throw new Error("The connection broke")
        sent += piece.length
        yield piece
      }
    }
    return { status: answer.status, headers: answer.headers, body: broken() }
  }
}

describe("sealway files", () => {
  test("uploads, lists, shows, downloads and deletes a file", async () => {
    const content = randomBytes(PART + 1000)
    await writeFile(at("scan.bin"), content)
    const upload = await sealway([
      "upload",
      "scan.bin",
      "--role",
      "open",
      "--content-type",
      "image/tiff",
      "--json",
    ])
    expect(upload, upload.stderr).toMatchObject({ exitCode: 0 })
    const { id } = upload.json() as { id: string }
    expect(upload.json()).toMatchObject({
      name: "scan.bin",
      role: "open",
      contentType: "image/tiff",
      status: "ready",
    })
    expect((await sealway(["list"])).rows().map(([first]) => first)).toContain(id)
    expect((await sealway(["get", id, "--json"])).json()).toMatchObject({ id, size: content.length })
    expect(await sealway(["download", id, "-o", "copy.bin"])).toMatchObject({ exitCode: 0 })
    expect((await readFile(at("copy.bin"))).equals(content)).toBe(true)
    const part = await sealway(["download", id, "-o", "-", "--range", "65530-65545"])
    expect(part.stdoutBytes.equals(content.subarray(65_530, 65_546))).toBe(true)
    const end = await sealway(["download", id, "-o", "-", "--range", `${PART}-`])
    expect(end.stdoutBytes.equals(content.subarray(PART))).toBe(true)
    expect(await sealway(["delete", id, "--yes"])).toMatchObject({ exitCode: 0 })
    expect(await sealway(["get", id])).toMatchObject({ exitCode: 4 })
    expect((await readdir(folder)).sort()).toEqual(["copy.bin", "scan.bin"])
  })

  test("uploads a file of a symmetric app, and resumes it with the same key", async () => {
    const { app, auth } = await service.newApp("sandbox")
    await service.patch(`/apps/${app.id}`, { sealing: "symmetric" }, { auth: service.team.auth })
    const env = { SEALWAY_APP: app.id, SEALWAY_API_KEY: auth.key }
    const content = randomBytes(PART + 10)
    await writeFile(at("symmetric.bin"), content)
    const cut = await sealway(["upload", "symmetric.bin"], { env, fetch: failing("PUT", 1) })
    const [, id = ""] = /--resume (file_\w+)/.exec(cut.stderr) ?? []
    const resumed = await sealway(["upload", "symmetric.bin", "--resume", id], { env })
    expect(resumed, resumed.stderr).toMatchObject({ exitCode: 0 })
    const copy = await sealway(["download", id, "-o", "-"], { env })
    expect(copy.stdoutBytes.equals(content)).toBe(true)
  })

  test("resumes an upload, sends no part twice, and removes its journal", async () => {
    const content = randomBytes(2 * PART + 10)
    await writeFile(at("long.bin"), content)
    const first = await sealway(["upload", "long.bin", "--role", "open"], { fetch: failing("PUT", 1) })
    expect(first.exitCode).toBe(5)
    const [, id = ""] = /sealway files upload long\.bin --resume (file_\w+)/.exec(first.stderr) ?? []
    expect((await stat(at("long.bin.sealway-upload"))).mode & 0o077).toBe(0)
    expect((await sealway(["upload", "long.bin"])).stderr).toContain("Resume it")
    expect(await sealway(["upload", "long.bin", "--resume", "file_other"])).toMatchObject({ exitCode: 2 })
    let sent = 0
    const counting: SendRequest = async (url, request) => {
      if (request.method === "PUT") sent++
      return sendRequest(url, request)
    }
    const second = await sealway(["upload", "long.bin", "--resume", id, "-q"], { fetch: counting })
    expect(second, second.stderr).toMatchObject({ exitCode: 0 })
    expect(sent).toBe(2)
    const copy = await sealway(["download", second.stdout.trim(), "-o", "-"])
    expect(copy.stdoutBytes.equals(content)).toBe(true)
    expect(await readdir(folder)).not.toContain("long.bin.sealway-upload")
  })

  test("sends a part again that another upload of the file has replaced", async () => {
    const content = randomBytes(PART + 10)
    await writeFile(at("replaced.bin"), content)
    const cut = await sealway(["upload", "replaced.bin"], { fetch: failing("PUT", 1) })
    const [, id = ""] = /--resume (file_\w+)/.exec(cut.stderr) ?? []
    const { json } = await service.post(`/files/${id}/part-urls`, { parts: [1] })
    const { data } = json as { data: [{ url: string; size: number }] }
    const other = new Uint8Array(randomBytes(data[0].size))
    expect((await fetch(data[0].url, { method: "PUT", body: other })).status).toBe(200)
    const resumed = await sealway(["upload", "replaced.bin", "--resume", id])
    expect(resumed, resumed.stderr).toMatchObject({ exitCode: 0 })
    const copy = await sealway(["download", id, "-o", "-"])
    expect(copy.stdoutBytes.equals(content)).toBe(true)
  })

  test("refuses to resume the upload of a file that has changed, even if its length and time are the same", async () => {
    await writeFile(at("changed.bin"), randomBytes(PART + 10))
    const { mtime, atime } = await stat(at("changed.bin"))
    const cut = await sealway(["upload", "changed.bin"], { fetch: failing("PUT", 0) })
    expect(cut.exitCode).toBe(5)
    const [, id = ""] = /--resume (file_\w+)/.exec(cut.stderr) ?? []
    await writeFile(at("changed.bin"), randomBytes(PART + 10))
    await utimes(at("changed.bin"), atime, mtime)
    const resumed = await sealway(["upload", "changed.bin", "--resume", id])
    expect(resumed).toMatchObject({ exitCode: 2 })
    expect(resumed.stderr).toContain("has changed")
  })

  test("goes on with a download whose connection breaks, and with one that was interrupted", async () => {
    const content = randomBytes(1_000_000)
    await writeFile(at("down.bin"), content)
    const id = (await sealway(["upload", "down.bin", "-q"])).stdout.trim()
    expect(await sealway(["download", id, "-o", "whole.bin"], { fetch: breaking(2, 300_000) })).toMatchObject(
      { exitCode: 0 },
    )
    expect((await readFile(at("whole.bin"))).equals(content)).toBe(true)
    const once = breaking(1, 200_000)
    let requests = 0
    const lost: SendRequest = async (url, request) => {
      if (url.includes("/storage/") && requests++ > 0) throw new Error("It is lost")
      return once(url, request)
    }
    const cut = await sealway(["download", id, "-o", "again.bin"], { fetch: lost })
    expect(cut.exitCode).toBe(5)
    const [partial = ""] = (await readdir(folder)).filter((name) => name.endsWith(".partial"))
    expect((await stat(at(partial))).size).toBeGreaterThan(0)
    expect(await sealway(["download", id, "-o", "again.bin"])).toMatchObject({ exitCode: 0 })
    expect((await readFile(at("again.bin"))).equals(content)).toBe(true)
  })

  test("writes one content when two downloads write to the same file at the same time", async () => {
    const content = randomBytes(1_000_000)
    await writeFile(at("both.bin"), content)
    const id = (await sealway(["upload", "both.bin", "-q"])).stdout.trim()
    const both = [1, 2].map(() =>
      sealway(["download", id, "-o", "same.bin"], { fetch: breaking(3, 300_000) }),
    )
    const exits = (await Promise.all(both)).map(({ exitCode }) => exitCode)
    expect(exits).toContain(0)
    expect((await readFile(at("same.bin"))).equals(content)).toBe(true)
  })

  test.skipIf(process.platform === "win32")("follows no link to another file", async () => {
    await writeFile(at("linked.bin"), "secret")
    const id = (await sealway(["upload", "linked.bin", "-q"])).stdout.trim()
    await symlink(at("elsewhere"), at(`safe.bin.${id}.partial`))
    expect(await sealway(["download", id, "-o", "safe.bin"])).toMatchObject({ exitCode: 2 })
    expect(await readdir(folder)).not.toContain("elsewhere")
  })

  test("refuses to complete a file that changed while it was being uploaded", async () => {
    await writeFile(at("live.bin"), randomBytes(PART + 10))
    const changing: SendRequest = async (url, request) => {
      if (request.method === "PUT") await utimes(at("live.bin"), 1, 1)
      return sendRequest(url, request)
    }
    const changed = await sealway(["upload", "live.bin"], { fetch: changing })
    expect(changed).toMatchObject({ exitCode: 2 })
    expect(changed.stderr).toContain("has changed")
  })

  test("refuses a range that is none, an output that exists, and a file that policies forbid", async () => {
    await service.newRole(service.sandbox.app, "shut")
    await writeFile(at("small.bin"), "small")
    const id = (await sealway(["upload", "small.bin", "--role", "shut", "-q"])).stdout.trim()
    expect(await sealway(["download", id, "-o", "x", "--range", "5"])).toMatchObject({ exitCode: 2 })
    expect(await sealway(["download", id, "-o", "x", "--range", "5-4"])).toMatchObject({ exitCode: 2 })
    expect(await sealway(["download", id])).toMatchObject({ exitCode: 2 })
    expect(await sealway(["download", id, "-o", "small.bin"])).toMatchObject({ exitCode: 2 })
    const forbidden = await sealway(["download", id, "-o", "forbidden.bin", "--json"])
    expect(forbidden.exitCode).toBe(1)
    expect(forbidden.stderr).toContain("decrypt/forbidden")
    expect((await readdir(folder)).filter((name) => name.startsWith("forbidden.bin"))).toEqual([])
    expect(await sealway(["upload", "missing.bin"])).toMatchObject({ exitCode: 2 })
    expect(await sealway(["upload", "."])).toMatchObject({ exitCode: 2 })
  })
})
