import { TEST_APP } from "@sealway/accounts/testing"
import { finish } from "@sealway/kernel"
import { createTestAgreement, createTestKeyring } from "@sealway/keys/testing"
import { messageProblem, RelayError, type Seal } from "@sealway/relay-engine"
import { createSealingKey, InvalidTokenError, isFile, parseToken } from "@sealway/tokens"
import { fileOfToken } from "@sealway/tokens/testing"
import type { DecryptedValues } from "@sealway/vault"
import { describe, expect, test } from "vitest"
import { createTestCiphers } from "./testing/test-cipher.ts"

async function* piecesOf(...pieces: readonly (Buffer | string)[]) {
  for (const piece of pieces) yield Buffer.from(piece)
}
/** Returns the parsed token of a sealed value. */
function parsed(sealed: ReturnType<Seal>) {
  const token = parseToken(typeof sealed === "string" ? sealed : finish(sealed).toString())
  if (token === null) throw new Error("It is no token")
  return token
}
const read = async (content: AsyncIterable<Buffer>) => Buffer.concat(await Array.fromAsync(content))

describe("the cipher of a message", () => {
  test("opens what it sealed, with type and role, in the requested order", async () => {
    const { cipher, decided } = await createTestCiphers()
    const seal = await cipher().sealer(3, ["pii"])
    const tokens = [
      seal("string", Buffer.from("Ada"), "pii"),
      seal("number", Buffer.from("1.50"), null),
      seal("boolean", Buffer.from("true"), "pii"),
    ].map(parsed)
    const opened = await cipher().open(tokens, ["pci", "pii"])
    expect(
      opened.map(({ type, value, role, encryptedAt }) => [type, value.toString(), role, encryptedAt]),
    ).toEqual([
      ["string", "Ada", "pii", 1_700_000_000],
      ["number", "1.50", null, null],
      ["boolean", "true", "pii", 1_700_000_000],
    ])
    expect(decided.map(({ requests }) => requests)).toEqual([
      [
        { role: "pii", values: 3, reveal: undefined },
        { role: "pci", values: 1, reveal: undefined },
      ],
    ])
  })

  test("reports how many values of which roles it opened, once they are permitted and before it returns them", async () => {
    const { cipher } = await createTestCiphers()
    const told: DecryptedValues[] = []
    const seal = await cipher().sealer(4, ["pii"])
    const tokenOf = (role: string | null) => parsed(seal("string", Buffer.from("Ada"), role))
    const listening = cipher("request", 1_000, async (values) => void told.push(values))
    await listening.open([tokenOf("pii"), tokenOf(null), tokenOf("strict-pan"), tokenOf("pii")], ["pci"])
    const roles = new Map(Object.entries({ pii: 2, "strict-pan": 1 }))
    expect(told).toEqual([{ roles, withoutRole: 1, isStrict: true, masked: new Map() }])
    await listening.open([tokenOf("pii")], [])
    expect(told.at(-1)).toEqual({
      roles: new Map([["pii", 1]]),
      withoutRole: 0,
      isStrict: false,
      masked: new Map(),
    })
    await listening.open([], ["pci"])
    await expect(listening.open([tokenOf("forbidden")], [])).rejects.toThrow(RelayError)
    expect(told).toHaveLength(2)
    const silent = cipher("request", 1_000, () => Promise.reject(new Error("No record can be written")))
    await expect(silent.open([tokenOf("pii")], [])).rejects.toThrow("No record can be written")
  })

  test("reports a file that it opened, even an empty one, before its first byte, and none that does not open", async () => {
    const { cipher } = await createTestCiphers()
    const told: DecryptedValues[] = []
    const listening = cipher("request", 1_000, async (values) => void told.push(values))
    for (const content of ["a file", ""]) {
      const file = await read(cipher().sealFile(piecesOf(content)))
      expect((await read(listening.openFile(piecesOf(file)))).toString()).toBe(content)
    }
    expect(told).toEqual(
      Array(2).fill({ roles: new Map(), withoutRole: 1, isStrict: false, masked: new Map() }),
    )
    const file = await read(cipher().sealFile(piecesOf("a file")))
    const silent = cipher("request", 1_000, () => Promise.reject(new Error("No record can be written")))
    await expect(read(silent.openFile(piecesOf(file)))).rejects.toThrow("No record can be written")
    file[60] = (file[60] ?? 0) ^ 1
    await expect(read(listening.openFile(piecesOf(file)))).rejects.toThrow(InvalidTokenError)
    expect(told).toHaveLength(2)
  })

  test("passes on masks where policies permit no more, and counts them", async () => {
    const { cipher, decided } = await createTestCiphers()
    const told: DecryptedValues[] = []
    const seal = await cipher().sealer(2, ["masked-name", "pii"])
    const tokens = ["masked-name", "pii"].map((role) =>
      parsed(seal("string", Buffer.from("Ada Lovelace"), role)),
    )
    const listening = cipher("request", 1_000, async (values) => void told.push(values))
    const opened = await listening.open(tokens, [], () => true)
    expect(opened.map(({ type, value }) => [type, value.toString()])).toEqual([
      ["string", "A. L."],
      ["string", "Ada Lovelace"],
    ])
    expect(told[0]?.masked).toEqual(new Map([["masked-name", 1]]))
    expect(decided[0]?.requests.map(({ reveal }) => reveal)).toEqual(["any", "any"])
  })

  test("gives no mask, and refuses, where a value is needed in full", async () => {
    const { cipher } = await createTestCiphers()
    const seal = await cipher().sealer(2, ["masked-name"])
    const tokens = ["Ada Lovelace", "Bob"].map((name) =>
      parsed(seal("string", Buffer.from(name), "masked-name")),
    )
    const refused = { code: "decrypt/forbidden" }
    await expect(cipher().open(tokens, [])).rejects.toMatchObject(refused)
    await expect(cipher().open(tokens, [], (index) => index !== 1)).rejects.toMatchObject(refused)
  })

  test("seals a large value in steps, and opens it", async () => {
    const { cipher } = await createTestCiphers()
    const seal = await cipher().sealer(1, ["pii"])
    const value = Buffer.alloc(1_000_000, "Ada ")
    const sealed = seal("string", value, "pii")
    expect(typeof sealed).toBe("object")
    const [opened] = await cipher().open([parsed(sealed)], [])
    expect([opened?.value.equals(value), opened?.role]).toEqual([true, "pii"])
  })

  test("asks no policy for values without a role", async () => {
    const { cipher, decided } = await createTestCiphers()
    const seal = await cipher().sealer(1, [])
    const token = parsed(seal("string", Buffer.from("Ada"), null))
    expect((await cipher().open([token], []))[0]?.value.toString()).toBe("Ada")
    expect(decided).toEqual([])
  })

  test("opens values and files of older key versions", async () => {
    const { cipher, keyring } = await createTestCiphers()
    const seal = await cipher().sealer(1, [])
    const token = parsed(seal("string", Buffer.from("Ada"), null))
    const file = await read(cipher().sealFile(piecesOf("a", "file")))
    await keyring.addVersion(TEST_APP)
    const newer = await read(cipher().sealFile(piecesOf("newer")))
    expect((await cipher().open([token], []))[0]?.value.toString()).toBe("Ada")
    expect(isFile(file)).toBe(true)
    expect((await read(cipher().openFile(piecesOf(file)))).toString()).toBe("afile")
    expect((await read(cipher().openFile(piecesOf(newer)))).toString()).toBe("newer")
  })

  test("opens values and files of an app whose keys are in an HSM, asking for each ephemeral key once", async () => {
    const agreement = createTestAgreement()
    const asked: string[] = []
    const agree: typeof agreement.agree = (keyId, ephemeral) => {
      asked.push(Buffer.from(ephemeral).toString("hex"))
      return agreement.agree(keyId, ephemeral)
    }
    const keyring = createTestKeyring({ ...agreement, agree })
    await keyring.addVersion(TEST_APP)
    await keyring.addVersion({ ...TEST_APP, custody: "hsm" })
    const { cipher } = await createTestCiphers(undefined, keyring)
    const { publicKeys } = await keyring.newest(TEST_APP, "public")
    const values = Array.from({ length: 100 }, (_, index) => `value ${index}`)
    const tokens = values.map((value) => {
      const key = createSealingKey({ appPublicKey: publicKeys.prime256v1, debug: true })
      return parsed(key.seal("string", value))
    })
    const opened = await cipher().open([...tokens, ...tokens], [])
    expect(opened.map(({ value }) => value.toString())).toEqual([...values, ...values])
    expect([asked.length, new Set(asked).size]).toEqual([100, 100])
    const file = await read(cipher().sealFile(piecesOf("a", "file")))
    expect((await read(cipher().openFile(piecesOf(file)))).toString()).toBe("afile")
    expect(asked).toHaveLength(101)
  })

  test("refuses with payload-too-large a message that takes 201 key agreements in the HSM", async () => {
    const keyring = createTestKeyring()
    await keyring.addVersion({ ...TEST_APP, custody: "hsm" })
    const { publicKeys } = await keyring.newest(TEST_APP, "public")
    const tokens = Array.from({ length: 201 }, () => {
      const key = createSealingKey({ appPublicKey: publicKeys.prime256v1, debug: true })
      return parsed(key.seal("string", "x"))
    })
    const { cipher } = await createTestCiphers(undefined, keyring)
    const refused = await cipher()
      .open(tokens, [])
      .catch((error: unknown) => messageProblem("request", error))
    expect(refused).toMatchObject({ name: "RelayError", code: "payload-too-large" })
  })

  test("opens no file of other keys, and none that was changed", async () => {
    const { cipher } = await createTestCiphers()
    const others = await createTestCiphers()
    const file = await read(cipher().sealFile(piecesOf("a file")))
    await expect(read(others.cipher().openFile(piecesOf(file)))).rejects.toThrow(InvalidTokenError)
    file[60] = (file[60] ?? 0) ^ 1
    await expect(read(cipher().openFile(piecesOf(file)))).rejects.toThrow(InvalidTokenError)
  })

  test("opens files up to the largest that could be encrypted", async () => {
    const { cipher } = await createTestCiphers()
    const file = await read(cipher().sealFile(piecesOf(Buffer.alloc(1_000))))
    expect((await read(cipher("request", 1_000).openFile(piecesOf(file)))).length).toBe(1_000)
    await expect(read(cipher("request", 999).openFile(piecesOf(file)))).rejects.toThrow(
      expect.objectContaining({ code: "payload-too-large" }),
    )
  })

  test("encrypts no file that is larger than those it opens", async () => {
    const { cipher } = await createTestCiphers()
    const sealed = (bytes: number) => read(cipher("request", 1_000).sealFile(piecesOf(Buffer.alloc(bytes))))
    expect((await sealed(1_000)).length).toBe(1_075)
    for (const bytes of [1_001, 1_075, 1_076]) {
      await expect(sealed(bytes)).rejects.toThrow(expect.objectContaining({ code: "payload-too-large" }))
    }
  })

  test.each(["request", "response"] as const)(
    "records a refusal, and refuses in its direction: %s",
    async (direction) => {
      const { cipher, audited } = await createTestCiphers()
      await expect(cipher(direction).open([], ["forbidden"])).rejects.toThrow(
        expect.objectContaining({ code: "decrypt/forbidden", stage: direction }),
      )
      expect(audited).toMatchObject([
        {
          appId: "app_1",
          action: "decryption.refused",
          details: { relay: "relay_1", direction, role: "forbidden", policies: "policy_1" },
        },
      ])
    },
  )

  test("does not seal with an archived role", async () => {
    const { cipher } = await createTestCiphers()
    await expect(cipher().sealer(1, ["pii", "archived"])).rejects.toThrow(RelayError)
  })
})

describe("a honey token in a message", () => {
  async function withHoney(role: string | null) {
    const { cipher, keyring, audited, decided } = await createTestCiphers()
    const { sealingKeys, honeyMarks } = await keyring.newest(TEST_APP, "private")
    const markOf = (segment: Uint8Array) => Buffer.from(honeyMarks(segment), "binary").subarray(0, 12)
    const text = sealingKeys.marked(markOf).seal("string", "4242424242424242", { role, encryptedAt: 1 })
    const details = {
      reason: "honey-token",
      honeyMarks: parsed(text).iv.toString("base64"),
      relay: "relay_1",
    }
    return { cipher, audited, decided, text, details }
  }

  test.each(["request", "response"] as const)(
    "is refused as a forbidden value, in a %s",
    async (direction) => {
      for (const role of [null, "pii"]) {
        const { cipher, audited, text, details } = await withHoney(role)
        const told: DecryptedValues[] = []
        const listening = cipher(direction, 1_000, async (values) => void told.push(values))
        const refused = listening.open([parsed(text)], [])
        await expect(refused).rejects.toMatchObject({ code: "decrypt/forbidden", stage: direction })
        expect(audited).toMatchObject([{ details: { ...details, direction, role } }])
        expect(told).toEqual([])
      }
    },
  )

  test("spends no budget of the values beside it, and is noted when one of them is forbidden", async () => {
    const { cipher, audited, decided, text, details } = await withHoney("pii")
    const seal = await cipher().sealer(1, [])
    const forbidden = parsed(seal("string", Buffer.from("x"), "forbidden"))
    await expect(cipher().open([forbidden, parsed(text)], [])).rejects.toMatchObject({
      code: "decrypt/forbidden",
    })
    expect(decided[0]?.requests.map(({ values }) => values)).toEqual([0, 0])
    expect(audited).toMatchObject([{ details: { honeyMarks: details.honeyMarks, reason: "forbidden" } }])
  })

  test("is refused as a file of its parts, before its first byte", async () => {
    const { cipher, audited, text, details } = await withHoney(null)
    const read = Array.fromAsync(cipher().openFile(piecesOf(fileOfToken(text))))
    await expect(read).rejects.toMatchObject({ code: "decrypt/forbidden" })
    expect(audited).toMatchObject([{ details }])
  })
})
