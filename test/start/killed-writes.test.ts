import { join } from "node:path"
import { expect, test } from "vitest"
import * as z from "zod"
import { type Ready, startProgram, whenReady, withFolder } from "../support/start.ts"

const MAIN = "packages/hosts/local/src/main.ts"
const REQUESTS = 80
/** Requests in progress at any time, each at another step. */
const AT_ONCE = 8
const ANSWERS_BEFORE_THE_KILL = 13
const MAX_DELAY_MS = 40

const start = (folder: string) =>
  whenReady(startProgram([process.execPath, MAIN, "--json", "--port", "0", "--data", folder]))

test(
  "completes requests of a killed service once when they are repeated with their keys, as soon as it is up again",
  () =>
    withFolder(async (folder) => {
      const first = await start(join(folder, "data"))
      const answered = new Map<number, string>()
      const numbers = Array.from({ length: REQUESTS }, (_, number) => number)
      const left = [...numbers]
      const sendOneAfterAnother = async () => {
        for (let number = left.shift(); number !== undefined; number = left.shift()) {
          const text = await create(first.ready, number).catch(() => null)
          if (text === null) return
          answered.set(number, text)
          if (answered.size === ANSWERS_BEFORE_THE_KILL) {
            // Requests that wait for the same block of the audit log are answered at the same moment, with none half done.
            setTimeout(() => first.child.kill("SIGKILL"), Math.random() * MAX_DELAY_MS)
          }
        }
      }
      await Promise.all(Array.from({ length: AT_ONCE }, sendOneAfterAnother))
      await first.ended()
      expect(answered.size).toBeLessThan(REQUESTS)

      const second = await start(join(folder, "data"))
      const repeated = await Promise.all(numbers.map((number) => create(second.ready, number)))
      for (const [number, text] of answered) expect(repeated[number]).toBe(text)
      const ids = repeated.map((text) => z.object({ id: z.string() }).parse(JSON.parse(text)).id)
      const listed = await ask(second.ready, "GET", "/team-keys?limit=100")
      const made = z
        .object({ data: z.array(z.object({ id: z.string(), name: z.string() })) })
        .parse(listed).data
      expect(
        made
          .filter(({ name }) => name.startsWith("Key "))
          .map(({ id }) => id)
          .sort(),
      ).toEqual(ids.toSorted())
      const log = await ask(second.ready, "GET", "/audit-logs?limit=100&action=team-key.create")
      const recorded = z
        .object({ data: z.array(z.object({ target: z.object({ id: z.string() }) })) })
        .parse(log)
      const targets = recorded.data.map(({ target }) => target.id)
      for (const id of ids) expect(targets.filter((each) => each === id)).toEqual([id])
      await second.stop()
    }),
  120_000,
)

async function create(ready: Ready, number: number): Promise<string> {
  const response = await call(ready, "POST", "/team-keys", { name: `Key ${number}` }, `request-${number}`)
  const text = await response.text()
  if (response.status !== 201) throw new Error(text)
  return text
}

async function ask(ready: Ready, method: string, path: string): Promise<unknown> {
  return (await call(ready, method, path)).json()
}

function call({ url, teamKey }: Ready, method: string, path: string, body?: object, key?: string) {
  return fetch(url + path, {
    method,
    headers: {
      "api-key": teamKey,
      ...(body && { "content-type": "application/json" }),
      ...(key && { "idempotency-key": key }),
    },
    ...(body && { body: JSON.stringify(body) }),
  })
}
