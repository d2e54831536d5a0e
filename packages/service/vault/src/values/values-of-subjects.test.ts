import { TEST_APP as app } from "@sealway/accounts/testing"
import { createTestKeyring } from "@sealway/keys/testing"
import {
  ErasedSubjectError,
  InvalidTokenError,
  isOfSubject,
  type ParsedToken,
  parseToken,
  subjectIdOf,
} from "@sealway/tokens"
import { beforeAll, describe, expect, test } from "vitest"
import { requireValue } from "./honey-value.ts"
import { TokensAhead } from "./open-ahead.ts"
import { MAX_SUBJECTS } from "./subject-openings.ts"
import { createTokenOpener } from "./token-opener.ts"

const keyring = createTestKeyring()
beforeAll(async () => {
  await keyring.addVersion(app)
})

async function seal(reference: string, ...texts: readonly string[]): Promise<ParsedToken[]> {
  const key = (await keyring.subjects.forSealing(app, reference)).createSealingKey()
  return texts.map((text) => {
    const token = parseToken(key.seal("string", text))
    if (token === null) throw new Error("It is no token")
    return token
  })
}

describe("the opener of one request", () => {
  test("reads a data subject once for any number of its values", async () => {
    let reads = 0
    const open: typeof keyring.subjects.open = (...given) => {
      reads++
      return keyring.subjects.open(...given)
    }
    const opener = createTokenOpener({ ...keyring, subjects: { ...keyring.subjects, open } }, app)
    const tokens = [...(await seal("ada", "a", "b")), ...(await seal("ada", "c"))]
    const opened: string[] = []
    for (const token of tokens) opened.push(requireValue(await opener.openToken(token)).value.toString())
    expect(opened).toEqual(["a", "b", "c"])
    expect(reads).toBe(1)
    expect(opener.asksAws()).toBe(true)
  })

  test("uses no key any longer than the keyring does, also in a request that takes long", async () => {
    const [first, second] = await seal("bob", "a", "b")
    if (first === undefined || second === undefined || !isOfSubject(first))
      throw new Error("Of no data subject")
    const id = subjectIdOf(first)
    let isErased = false
    const subjects = {
      ...keyring.subjects,
      peek: () => undefined,
      open(...given: Parameters<typeof keyring.subjects.open>) {
        if (isErased && given[1] === id) throw new ErasedSubjectError()
        return keyring.subjects.open(...given)
      },
    }
    const opener = createTokenOpener({ ...keyring, subjects }, app)
    expect(requireValue(await opener.openToken(first)).value.toString()).toBe("a")
    isErased = true
    await expect((async () => opener.openToken(second))()).rejects.toBeInstanceOf(ErasedSubjectError)
  })

  test("gives others a turn after each value that it opens ahead, also of data subjects in memory", async () => {
    const ahead = new TokensAhead()
    for (let person = 0; person < 100; person++) {
      const [token] = await seal(`person-${person}`, "a")
      if (token === undefined || !isOfSubject(token)) throw new Error("Of no data subject")
      await keyring.subjects.open(app, subjectIdOf(token))
      ahead.add(token)
    }
    let turns = 0
    const next = async () => void turns++
    await ahead.open(createTokenOpener(keyring, app), { next })
    expect(turns).toBe(100)
  })

  test(`refuses values of more than ${MAX_SUBJECTS} data subjects with payload-too-large`, async () => {
    const opener = createTokenOpener(keyring, app)
    const [token] = await seal("cyd", "a")
    if (token === undefined || !isOfSubject(token)) throw new Error("Of no data subject")
    const unknown = (number: number) => {
      const keySegment = Buffer.from(token.keySegment)
      keySegment.writeUInt32LE(number, 1)
      return { ...token, keySegment, keySegmentBase64: keySegment.toString("base64") }
    }
    const outcomes = new Set<unknown>()
    for (let number = 0; number < MAX_SUBJECTS; number++) {
      outcomes.add(
        await (async () => opener.openToken(unknown(number)))().catch((error) => error.constructor),
      )
    }
    expect([...outcomes]).toEqual([InvalidTokenError])
    await expect((async () => opener.openToken(token))()).rejects.toMatchObject({ code: "payload-too-large" })
  })
})
