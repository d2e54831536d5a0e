import { expect, test } from "vitest"
import * as z from "zod"
import { basic } from "../support/service.ts"
import { startReady, withFolder } from "../support/start.ts"

const listSchema = z.object({ data: z.array(z.object({ total: z.number() })) })

test("writes the access records of the last second on SIGTERM, and the next start lists them", () =>
  withFolder(async (folder) => {
    const first = await startReady(folder)
    const [sandbox] = first.ready.apps
    if (sandbox === undefined) throw new Error("A start makes two apps")
    const headers = {
      authorization: basic({ user: sandbox.id, key: sandbox.apiKey }),
      "content-type": "application/json",
    }
    const post = (path: string, body: string) =>
      fetch(first.ready.url + path, { method: "POST", headers, body })
    const token = await (await post("/encrypt", '"x"')).text()
    for (let times = 0; times < 5; times++) expect((await post("/decrypt", `[${token}]`)).status).toBe(200)
    await first.stop()

    const second = await startReady(folder)
    const answer = await fetch(`${second.ready.url}/access-logs`, { headers })
    expect(listSchema.parse(await answer.json()).data).toHaveLength(5)
    await second.stop()
  }))
