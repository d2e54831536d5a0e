import { createTurns, RequestTask, type Turns } from "@sealway/kernel"
import type { Metadata } from "@sealway/tokens"
import {
  agreedContentKey,
  createKeyAgreement,
  createSealingKey,
  ErasedSubjectError,
  generatePrivateKey,
  isToken,
  openFile,
  openToken,
  openTokenInSteps,
} from "@sealway/tokens"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import type { TokenOpener } from "../values/token-opener.ts"
import { decryptJson } from "./decrypt-json.ts"
import { encryptJson } from "./encrypt-json.ts"
import { rewrapJson } from "./rewrap-json.ts"
import type { DecideRoles } from "./role-tally.ts"

const agreement = createKeyAgreement("prime256v1", generatePrivateKey("prime256v1"))
const sealingKey = createSealingKey({ appPublicKey: agreement.publicKey, debug: false })
const opener: TokenOpener = {
  async openToken(token) {
    const contentKey = agreedContentKey(token, agreement)
    return openToken(token, contentKey, agreement.publicKey)
  },
  asksAws: () => false,
  async openFile(file) {
    const contentKey = agreedContentKey(file, agreement)
    return openFile(file, contentKey, agreement.publicKey)
  },
}

const metadata = { role: "pci", encryptedAt: 1_700_000_000 }
const noRole = { role: null, encryptedAt: metadata.encryptedAt }
const encrypt = async (bytes: Buffer, role: Metadata = noRole) =>
  (await encryptJson(bytes, () => sealingKey, role)).bytes
const deciding =
  (decision: "permit" | "deny"): DecideRoles =>
  async (roles) =>
    new Map(
      roles.map(({ role }) => [
        role,
        { decision, reason: "permitted", policyIds: ["policy_1"], accessLog: "standard", budgets: [] },
      ]),
    )
const decrypt = async (bytes: Buffer, decision: "permit" | "deny" = "permit") =>
  (await decryptJson(bytes, opener, deciding(decision))).bytes

/** JSON with the white space, escapes and number spellings in which writers differ. */
const whiteSpace = fc.string({ unit: fc.constantFrom(" ", "\n", "\t", "\r"), maxLength: 2 })
const spelledNumber = fc.constantFrom("0", "-0", "1.0", "1e400", "12345678901234567890", "-1.5E+2", "0.10")
const spelledString = fc.string({ unit: "grapheme", maxLength: 8 }).map((text) => JSON.stringify(text))
const { document } = fc.letrec<{ document: string }>((tie) => ({
  document: fc.oneof(
    { maxDepth: 4 },
    spelledNumber,
    spelledString,
    fc.constantFrom("true", "false", "null", "{}", "[ ]"),
    fc
      .tuple(whiteSpace, fc.array(tie("document"), { maxLength: 4 }))
      .map(([space, items]) => `[${space}${items.join(`${space},`)}]`),
    fc
      .tuple(whiteSpace, fc.array(fc.tuple(spelledString, tie("document")), { maxLength: 4 }))
      .map(
        ([space, members]) =>
          `{${members.map(([name, value]) => `${name}${space}:${value}`).join(`,${space}`)}}`,
      ),
  ),
}))

describe("JSON documents", () => {
  test("survive encryption and decryption byte for byte, except for the spelling of escapes", async () => {
    await fc.assert(
      fc.asyncProperty(document, async (text) => {
        const encrypted = await encrypt(Buffer.from(text))
        expect((await decrypt(encrypted)).toString()).toBe(text)
      }),
      { numRuns: 300 },
    )
  })

  test("contain no plaintext once encrypted, and do not change when encrypted again", async () => {
    await fc.assert(
      fc.asyncProperty(document, async (text) => {
        const encrypted = await encrypt(Buffer.from(text))
        for (const leaf of leaves(JSON.parse(encrypted.toString()))) {
          expect(leaf === null || (typeof leaf === "string" && isToken(leaf))).toBe(true)
        }
        expect((await encrypt(encrypted)).equals(encrypted)).toBe(true)
      }),
    )
  })

  test("fail as a whole when a token opens another way once it is decided what is masked", async () => {
    const tokens = await encrypt(Buffer.from('["4242424242424242"]'), metadata)
    const maskedOnly: DecideRoles = async (roles) => {
      const mask = { type: "fixed", text: "x" } as const
      const decision = {
        decision: "masked",
        mask,
        reason: "permitted",
        policyIds: [],
        accessLog: "standard",
        budgets: [],
      } as const
      return new Map(roles.map(({ role }) => [role, decision]))
    }
    const openAs = async (...roles: readonly (string | null)[]) => {
      const left = [...roles]
      const changing: TokenOpener = {
        ...opener,
        openToken: async (token) => ({ ...(await opener.openToken(token)), role: left.shift() ?? null }),
      }
      return (await decryptJson(tokens, changing, maskedOnly, { reveal: "any" })).bytes.toString()
    }
    expect(await openAs("pci", "pci")).toBe('["x"]')
    for (const other of ["pii", null]) {
      await expect(openAs("pci", other)).rejects.toThrow("did not open as it was judged")
    }
  })

  test("keep types, roles and times on rewrap", async () => {
    const encrypted = await encrypt(Buffer.from('{"a":1.0,"b":[true,"x"]}'), metadata)
    const rewrapped = await rewrapJson(encrypted, opener, async () => sealingKey, 1)
    expect(rewrapped.equals(encrypted)).toBe(false)
    expect((await decrypt(rewrapped)).toString()).toBe('{"a":1.0,"b":[true,"x"]}')
    await expect(decrypt(rewrapped, "deny")).rejects.toMatchObject({ code: "decrypt/forbidden" })
  })

  test("are refused on rewrap, at their place, when their data subject is erased after they were opened", async () => {
    const encrypted = await encrypt(Buffer.from('{"a":["x"]}'))
    const erased = () => Promise.reject(new ErasedSubjectError())
    await expect(rewrapJson(encrypted, opener, erased, 1)).rejects.toMatchObject({
      code: "data-subject/erased",
      fields: [{ pointer: "/a/0" }],
    })
  })

  test("need one decision per role, not per value", async () => {
    const asked: unknown[] = []
    const encrypted = await encrypt(Buffer.from(JSON.stringify(Array(50).fill("x"))), metadata)
    await decryptJson(encrypted, opener, (roles) => {
      asked.push(roles)
      return deciding("permit")(roles)
    })
    expect(asked).toEqual([[{ role: "pci", values: 50 }]])
  })

  test("need no decision when values have no role", async () => {
    const encrypted = await encrypt(Buffer.from('["x"]'))
    const decide = () => Promise.reject(new Error("There is nothing to decide"))
    const { bytes } = await decryptJson(encrypted, opener, decide)
    expect(bytes.toString()).toBe('["x"]')
  })

  test("are refused at the first value of a role that the decision leaves out", async () => {
    const encrypted = await encrypt(Buffer.from('{"a":null,"b":["x","y"]}'), metadata)
    await expect(decryptJson(encrypted, opener, async () => new Map())).rejects.toMatchObject({
      code: "decrypt/forbidden",
      fields: [{ pointer: "/b/0" }],
    })
  })
})

describe("large documents", () => {
  /** Creates turns that yield at every step, and counts them. */
  const countingTurns = () => {
    let nowMs = 0
    let count = 0
    const turns = createTurns({
      now: () => nowMs++,
      defer: (task) => {
        count++
        queueMicrotask(task)
      },
      sliceMs: 0,
    })
    return { task: new RequestTask({ turns }), count: () => count }
  }
  const inTurns =
    (turns: Turns): TokenOpener["openToken"] =>
    (token) => {
      const contentKey = agreedContentKey(token, agreement)
      return turns.run(openTokenInSteps(token, contentKey, agreement.publicKey))
    }
  const VALUES = 2_000
  const text = JSON.stringify(Array.from({ length: VALUES }, (_, index) => `value ${index}`))

  test("yield to others while they are sealed, opened and rewrapped, with the same result", async () => {
    const sealing = countingTurns()
    const { bytes: encrypted } = await encryptJson(Buffer.from(text), () => sealingKey, noRole, sealing.task)
    const opening = countingTurns()
    const { bytes } = await decryptJson(encrypted, opener, deciding("permit"), { task: opening.task })
    expect(bytes.toString()).toBe(text)
    const again = countingTurns()
    const rewrapped = await rewrapJson(encrypted, opener, () => sealingKey, 1, { task: again.task })
    expect((await decrypt(rewrapped)).toString()).toBe(text)
    for (const { count } of [sealing, opening, again]) expect(count()).toBeGreaterThan(VALUES / 50)
  })

  test.each([
    ["text", JSON.stringify("x".repeat(2_000_000))],
    ["escapes", JSON.stringify('"\u0001\u00e9\u{1f600}'.repeat(150_000))],
    ["digits", "7".repeat(2_000_000)],
  ])(
    "with one large value, of %s, yield at every step, and survive a round trip byte for byte",
    async (_, text) => {
      const [sealing, opening, again] = [countingTurns(), countingTurns(), countingTurns()]
      const { bytes: encrypted } = await encryptJson(
        Buffer.from(text),
        () => sealingKey,
        metadata,
        sealing.task,
      )
      const tokens = { ...opener, openToken: inTurns(opening.task) }
      const options = { task: opening.task }
      const { bytes } = await decryptJson(encrypted, tokens, deciding("permit"), options)
      expect(bytes.toString() === text).toBe(true)
      const rewrapped = await rewrapJson(encrypted, opener, () => sealingKey, 1, { task: again.task })
      expect((await decrypt(rewrapped)).toString() === text).toBe(true)
      for (const { count } of [sealing, opening, again]) expect(count()).toBeGreaterThan(2_000_000 / 98_304)
    },
  )

  test("yield while the place of a refused value is located", async () => {
    const { task, count } = countingTurns()
    const refused = Buffer.from(`[${"0,".repeat(20_000)}"ev:Tk9D:AAAA:AAAA:AAAA:$"]`)
    await expect(
      (async () => decryptJson(refused, opener, deciding("permit"), { task }))(),
    ).rejects.toMatchObject({ code: "invalid-request", fields: [{ pointer: "/20000" }] })
    expect(count()).toBeGreaterThanOrEqual(2 * Math.floor(40_000 / 8_192))
  })

  test("with more than 250,000 values are refused with payload-too-large, whatever else they contain", async () => {
    const values = (count: number) => Buffer.from(`[null,${"0,".repeat(count - 1)}0]`)
    const key = () => {
      throw new RangeError("Sealing has begun")
    }
    await expect(async () => encryptJson(values(250_000), key, noRole)).rejects.toThrow(RangeError)
    await expect(encrypt(values(250_001))).rejects.toMatchObject({ code: "payload-too-large" })
  })
})

function leaves(value: unknown): unknown[] {
  if (typeof value !== "object" || value === null) return [value]
  return Object.values(value).flatMap(leaves)
}
