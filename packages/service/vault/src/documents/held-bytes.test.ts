import { MB, processTurns, RequestTask } from "@sealway/kernel"
import {
  agreedContentKey,
  createKeyAgreement,
  createSealingKey,
  generatePrivateKey,
  openToken,
} from "@sealway/tokens"
import { describe, expect, test } from "vitest"
import type { TokenOpener } from "../values/token-opener.ts"
import { decryptJson } from "./decrypt-json.ts"
import { encryptJson } from "./encrypt-json.ts"
import { reserveForFile } from "./held-bytes.ts"
import { rewrapJson } from "./rewrap-json.ts"

const agreement = createKeyAgreement("prime256v1", generatePrivateKey("prime256v1"))
const sealingKey = createSealingKey({ appPublicKey: agreement.publicKey, debug: false })
const noRole = { role: null, encryptedAt: null }
const opener: TokenOpener = {
  openToken: (token) => openToken(token, agreedContentKey(token, agreement), agreement.publicKey),
  openFile: () => expect.unreachable(),
  asksAws: () => false,
}
/** The most that one request may have by default. */
const MOST_FOR_ONE = 168 * MB

/** Creates a task that notes what is reserved, and refuses it. */
function refusing() {
  const reserved: number[] = []
  const refusal = new Error("There is no room")
  const memory = {
    reserve(bytes: number) {
      reserved.push(bytes)
      throw refusal
    },
    take: () => expect.unreachable(),
    add: () => expect.unreachable(),
  }
  return { reserved, refusal, task: new RequestTask({ turns: processTurns, memory }) }
}

const listOf = (count: number, item: string) => Buffer.from(`[${Array(count).fill(item).join(",")}]`)
const seal = async (document: Buffer) => (await encryptJson(document, () => sealingKey, noRole)).bytes

/** What sealing a document reserves. It must not begin. */
async function reservedToSeal(document: Buffer): Promise<number> {
  const { reserved, refusal, task } = refusing()
  const never = () => expect.unreachable()
  await expect((async () => encryptJson(document, never, noRole, task))()).rejects.toBe(refusal)
  expect(reserved).toHaveLength(1)
  return reserved[0] ?? 0
}

async function reservedToOpen(document: Buffer): Promise<number> {
  const { reserved, refusal, task } = refusing()
  const none: TokenOpener = { ...opener, openToken: () => expect.unreachable() }
  const never = () => expect.unreachable()
  await expect((async () => decryptJson(document, none, never, { task }))()).rejects.toBe(refusal)
  return reserved[0] ?? 0
}

async function reservedToRewrap(document: Buffer): Promise<number> {
  const { reserved, refusal, task } = refusing()
  const none: TokenOpener = { ...opener, openToken: () => expect.unreachable() }
  const never = () => expect.unreachable()
  await expect((async () => rewrapJson(document, none, never, 1, { task }))()).rejects.toBe(refusal)
  return reserved[0] ?? 0
}

describe("the memory of a document", () => {
  test("is reserved once, before anything is sealed, for its values and for its answer", async () => {
    for (const [count, item] of [
      [20_000, '"a"'],
      [20_000, "7"],
      [1, `"${"x".repeat(MB)}"`],
    ] as const) {
      const document = listOf(count, item)
      const answer = await seal(document)
      expect(await reservedToSeal(document)).toBeGreaterThan(2 * answer.length + 250 * count)
    }
  })

  test("is reserved before any of its tokens is opened, or rewrapped", async () => {
    const sealed = await seal(listOf(2_000, '"a"'))
    expect(await reservedToOpen(sealed)).toBeGreaterThan(1_000 * 2_000)
    expect(await reservedToRewrap(sealed)).toBeGreaterThan(1_400 * 2_000)
  })

  test("is not counted as that of tokens when it holds none", async () => {
    const numbers = listOf(500_000, "7")
    expect(await reservedToOpen(numbers)).toBeLessThan(4 * numbers.length)
  })

  test("fits for the most values and the most tokens that one request may have", async () => {
    expect(await reservedToSeal(listOf(250_000, '"abcdefghijklmnopqr"'))).toBeLessThan(MOST_FOR_ONE)
    const tokens = listOf(71_000, (await seal(Buffer.from('"a"'))).toString())
    expect(await reservedToOpen(tokens)).toBeLessThan(MOST_FOR_ONE)
    expect(await reservedToRewrap(tokens)).toBeLessThan(MOST_FOR_ONE)
  })

  test("is not reserved for up to a kilobyte, so that small requests do not wait", async () => {
    const { reserved, task } = refusing()
    await encryptJson(listOf(250, '"a"'), () => sealingKey, noRole, task)
    expect(reserved).toEqual([])
  })
})

test("the memory of a file is reserved before it is sealed or opened", async () => {
  const { reserved, refusal, task } = refusing()
  const file = Buffer.alloc(MB)
  await expect((async () => task.run(reserveForFile(file, task)))()).rejects.toBe(refusal)
  expect(reserved).toEqual([2 * MB])
})
