import { serviceEndpoints } from "@sealway/api"
import type { Endpoint } from "@sealway/http"
import { finish, MB, parsedBytesInSteps, processTurns, RequestTask, type Work } from "@sealway/kernel"
import { reserveForFile, reserveToOpen, reserveToRewrap, reserveToSeal } from "@sealway/vault/testing"
import { describe, expect, test } from "vitest"
import { resolveStage } from "../../stacks/config.ts"

/** Lambda's limit for a synchronous payload each way. */
const PAYLOAD_BYTES = 6 * MB
/** Node.js, the code and its caches, and garbage of a request that is not collected yet. */
const PROCESS_BYTES = 250 * MB
/** The event and the answer, as JSON, as text and as bytes. */
const PAYLOAD_COPIES = 2 * 3

/** The shortest token is longer than this. */
const TOKEN = `"ev:${"A".repeat(90)}"`

const listOf = (item: string) =>
  Buffer.from(
    `[${Array(Math.floor(PAYLOAD_BYTES / (item.length + 1)))
      .fill(item)
      .join(",")}]`,
  )

/** Returns what work reserves. */
function reservedBy(work: (task: RequestTask) => Work<unknown>): number {
  let reserved = 0
  const reserve = (bytes: number) => {
    reserved += bytes
  }
  const task = new RequestTask({ turns: processTurns, memory: { reserve, take: reserve, add: reserve } })
  finish(work(task))
  return reserved
}

const numbers = listOf("7")
const tokens = listOf(TOKEN)
const MOST_OF_DOCUMENTS = Math.max(
  reservedBy((task) => reserveToSeal(numbers, task)),
  reservedBy((task) => reserveToOpen(tokens, task, 5 * tokens.length)),
  reservedBy((task) => reserveToRewrap(tokens, task)),
  reservedBy((task) => reserveForFile(tokens, task, 2)),
)
const MOST_OF_OBJECTS = finish(parsedBytesInSteps(listOf("{}")))

/** Returns the most that a request within the limits takes of the function's memory. */
function mostBytes({ request: { body } }: Endpoint<never>): number {
  const payloads = PROCESS_BYTES + PAYLOAD_COPIES * PAYLOAD_BYTES
  if (body === undefined) return payloads
  switch (body.kind) {
    case "document":
      // A client-side token's document is also parsed, to compare it with the token.
      return payloads + Math.max(MOST_OF_DOCUMENTS, MOST_OF_OBJECTS)
    default:
      return payloads + MOST_OF_OBJECTS * Math.min(1, body.maxBytes / PAYLOAD_BYTES)
  }
}

describe.each(["production", "personal"])("the functions of the stage %s", (name) => {
  const { memoryMb, memoryMbOf } = resolveStage(name)

  test("have the memory for the largest request that Lambda passes on", () => {
    const short = serviceEndpoints
      .map((endpoint) => ({ id: endpoint.id, needs: mostBytes(endpoint) / MB }))
      .filter(({ id, needs }) => needs > (memoryMbOf[id] ?? memoryMb))
    expect(short).toEqual([])
  })
})

test("the largest requests take more than a small function has, so that the sum says something", () => {
  const encrypt = serviceEndpoints.find(({ id }) => id === "encrypt")
  if (encrypt === undefined) throw new Error("There is no such endpoint")
  expect(mostBytes(encrypt)).toBeGreaterThan(384 * MB)
})
