import { execFile } from "node:child_process"
import { mkdir, open, rm } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { expect, onTestFinished, test } from "vitest"
import { codeOf } from "../support/functions.ts"
import { basic } from "../support/service.ts"
import { type Ready, startReady, withFolder } from "../support/start.ts"

const run = promisify(execFile)

test.skipIf(process.platform !== "linux" || process.getuid?.() !== 0)(
  "answers writes with service-unavailable on a full disk, continues to read, and writes again when there is room (root only: mounts a file system)",
  ({ skip }) =>
    withFolder(async (parent) => {
      const mounted = join(parent, "small")
      await mkdir(mounted)
      try {
        await run("mount", ["-t", "tmpfs", "-o", "size=4m,mode=700", "none", mounted])
      } catch {
        skip("No file system can be mounted here.")
      }
      try {
        await fillAndEmpty(mounted)
      } finally {
        await run("umount", ["--lazy", mounted])
      }
    }),
)

const FUNCTION = {
  name: "echo",
  language: "node@24",
  handler: "index.mjs",
  code: codeOf({ "index.mjs": "export const handler = (payload) => payload" }),
}

async function fillAndEmpty(mounted: string): Promise<void> {
  const { ready, stop, stderr, child } = await startReady(join(mounted, "data"))
  onTestFinished(() => void child.kill("SIGKILL"))
  const { call, createRole } = callerOf(ready)
  const token = await (await call("POST", "/encrypt", "kept")).json()
  expect((await createRole("before")).status).toBe(201)

  const ballast = join(mounted, "ballast")
  await fill(ballast)
  const refused = await createRole("refused")
  expect(refused.status).toBe(503)
  expect(refused.headers.get("retry-after")).toMatch(/^\d+$/)
  expect(await refused.json()).toMatchObject({ code: "service-unavailable" })
  const deployed = await call("POST", "/functions", FUNCTION)
  expect(deployed.status).toBe(503)
  expect(await deployed.json()).toMatchObject({ code: "service-unavailable" })
  expect(await slugsOf(await call("GET", "/data-roles"))).toEqual(["before"])
  expect(await (await call("POST", "/decrypt", token)).json()).toBe("kept")
  expect(stderr()).toContain("The disk is full. Writes to the tables are refused until there is space.")

  await rm(ballast)
  expect((await createRole("after")).status).toBe(201)
  expect((await createRole("refused")).status).toBe(201)
  await stop("SIGKILL")

  const again = await startReady(join(mounted, "data"))
  const roles = await callerOf(again.ready).call("GET", "/data-roles")
  expect((await slugsOf(roles)).toSorted()).toEqual(["after", "before", "refused"])
  await again.stop()
}

function callerOf({ url, apps: [sandbox] }: Ready) {
  const authorization = basic({ user: sandbox?.id ?? "", key: sandbox?.apiKey ?? "" })
  const call = (method: string, path: string, body?: unknown) =>
    fetch(url + path, {
      method,
      headers: { authorization, "content-type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
  const createRole = (slug: string) => call("POST", "/data-roles", { slug, name: slug.padEnd(100, ".") })
  return { call, createRole }
}

async function slugsOf(answer: Response): Promise<string[]> {
  const { data }: { data: { slug: string }[] } = JSON.parse(await answer.text())
  return data.map(({ slug }) => slug)
}

/** Writes zeros until there is no room. */
async function fill(path: string): Promise<void> {
  const file = await open(path, "w")
  try {
    for (const bytes of [65_536, 4_096]) {
      while (await file.write(new Uint8Array(bytes)).then(isWritten(bytes), () => false));
    }
  } finally {
    await file.close()
  }
}

function isWritten(bytes: number): (result: { readonly bytesWritten: number }) => boolean {
  return ({ bytesWritten }) => bytesWritten === bytes
}
