import { expect, onTestFinished, test } from "vitest"
import { closeServer, listenOnLoopback } from "../loopback-server.ts"
import { createObjectMemory } from "./object-memory.ts"
import type { ObjectStore } from "./object-store.ts"
import { S3Error } from "./s3-error.ts"
import { createS3Server } from "./s3-server.ts"

async function serve(store: Partial<ObjectStore> = {}): Promise<string> {
  const server = createS3Server({ ...createObjectMemory(), ...store }, async () => undefined)
  onTestFinished(() => closeServer(server))
  return listenOnLoopback(server)
}

test("refuses with NotImplemented whatever URLs are not signed for", async () => {
  const endpoint = await serve()
  for (const [method, target] of [
    ["PUT", "/code/a"],
    ["DELETE", "/code/a"],
    ["GET", "/code/a?uploadId=1"],
    ["POST", "/code/a?uploads"],
    ["PUT", "/code"],
  ] as const) {
    const { status } = await fetch(endpoint + target, { method, ...(method === "PUT" && { body: "" }) })
    expect({ [`${method} ${target}`]: status }).toEqual({ [`${method} ${target}`]: 501 })
  }
})

test("refuses a part when the disk is full with ServiceUnavailable, and reveals nothing of other faults", async () => {
  const faults = [new S3Error("ServiceUnavailable"), new Error("marker-7f3a")]
  const endpoint = await serve({
    async putPart() {
      throw faults.shift()
    },
  })
  const put = () => fetch(`${endpoint}/files/a?partNumber=1&uploadId=1`, { method: "PUT", body: "a" })
  const full = await put()
  expect([full.status, await full.text()]).toEqual([503, expect.stringContaining("ServiceUnavailable")])
  const fault = await put()
  expect([fault.status, await fault.text()]).toEqual([500, expect.not.stringContaining("marker-7f3a")])
})

test.each(["0", "10001", "1.5", "x"])("refuses a part numbered %s with InvalidArgument", async (number) => {
  const endpoint = await serve()
  const answer = await fetch(`${endpoint}/files/a?partNumber=${number}&uploadId=1`, {
    method: "PUT",
    body: "a",
  })
  expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining("InvalidArgument")])
})
