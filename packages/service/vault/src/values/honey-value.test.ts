import { TEST_APP as app } from "@sealway/accounts/testing"
import { createTestKeyring } from "@sealway/keys/testing"
import { contentKeyId, parseFile, parseToken, sealBeside, sealFile } from "@sealway/tokens"
import { fileOfToken } from "@sealway/tokens/testing"
import { beforeAll, describe, expect, test } from "vitest"
import { type HoneyValue, isHoney, marksIn, requireValue } from "./honey-value.ts"
import { createTokenOpener } from "./token-opener.ts"

const keyring = createTestKeyring()
beforeAll(async () => {
  for (let version = 0; version < 2; version++) await keyring.addVersion(app)
})

type Form = "public-key" | "symmetric"

async function sealHoney(version: number, form: Form, role: string | null): Promise<string> {
  const { sealingKeys, symmetric, honeyMarks } = await keyring.open(app, version, "private")
  const source = form === "symmetric" ? symmetric?.sealingKeys : sealingKeys
  if (source === undefined) throw new Error("The version has no value key")
  return source
    .marked((segment) => Buffer.from(honeyMarks(segment), "binary").subarray(0, 12))
    .seal("string", "4242424242424242", { role, encryptedAt: 1 })
}

function parsed(text: string) {
  const token = parseToken(text)
  if (token === null) throw new Error("Not a token")
  return token
}

const honeyOf = (text: string, role: string | null): HoneyValue => ({
  value: null,
  role,
  mark: parsed(text).iv.toString("base64"),
})

describe("a honey token", () => {
  const forms: readonly Form[] = ["public-key", "symmetric"]
  const cases = forms.flatMap((form) =>
    [1, 2].flatMap((version) => [null, "pci"].map((role) => ({ form, version, role }))),
  )

  test.each(cases)("is kept back, in this and in later requests: %j", async ({ form, version, role }) => {
    const text = await sealHoney(version, form, role)
    const opener = createTokenOpener(keyring, app)
    for (let times = 0; times < 2; times++)
      expect(await opener.openToken(parsed(text))).toEqual(honeyOf(text, role))
    expect(await createTokenOpener(keyring, app).openToken(parsed(text))).toEqual(honeyOf(text, role))
  })

  test("is kept back under another type, which a token without role does not bind", async () => {
    const text = await sealHoney(1, "public-key", null)
    const relabelled = text.replace(":Tk9D:", ":Tk9D:number:")
    expect(await createTokenOpener(keyring, app).openToken(parsed(relabelled))).toEqual(honeyOf(text, null))
  })

  test("is kept back as a file of its parts", async () => {
    const text = await sealHoney(1, "public-key", null)
    const file = parseFile(fileOfToken(text))
    expect(await createTokenOpener(keyring, app).openFile(file)).toEqual(honeyOf(text, null))
  })

  test("has one of the five marks of its own key version", async () => {
    const [first, second] = await Promise.all([1, 2].map((version) => keyring.open(app, version, "private")))
    const segment = Buffer.alloc(33, 1)
    const marks = marksIn(first?.honeyMarks(segment) ?? "")
    expect(new Set(marks.map((mark) => mark.toString("hex"))).size).toBe(5)
    expect(first?.honeyMarks(segment)).not.toEqual(second?.honeyMarks(segment))
    const all = Buffer.concat(marks).toString("binary")
    for (const mark of marks) {
      expect(isHoney(mark, all)).toBe(true)
      for (let bit = 0; bit < 96; bit++) {
        const other = Buffer.from(mark)
        other[bit >> 3] = (other[bit >> 3] ?? 0) ^ (1 << (bit & 7))
        expect(isHoney(other, all)).toBe(false)
      }
    }
  })

  test.each(forms)("is kept back with the key of another token, which still opens: %s", async (form) => {
    const { sealingKeys, symmetric } = await keyring.open(app, 2, "private")
    const source = form === "symmetric" ? symmetric?.sealingKeys : sealingKeys
    const pattern = parsed(source?.current().seal("string", "x", { role: "pci", encryptedAt: 1 }) ?? "")
    const opener = createTokenOpener(keyring, app)
    const { honeyMarks, ...key } = await opener.keyOf(pattern)
    for (const mark of marksIn(honeyMarks)) {
      const text = sealBeside({ token: pattern, ...key }, mark, "string", "y", {
        role: "pci",
        encryptedAt: 2,
      })
      expect(parsed(text ?? "")).toMatchObject({ version: pattern.version, debug: pattern.debug })
      expect(text?.split(":").at(-3)).toBe(contentKeyId(pattern))
      expect(await opener.openToken(parsed(text ?? ""))).toEqual(honeyOf(text ?? "", "pci"))
    }
    expect(requireValue(await opener.openToken(pattern)).value.toString()).toBe("x")
  })

  test("has a key of its own, which seals no second value", async () => {
    const { sealingKeys, symmetric } = await keyring.open(app, 1, "private")
    for (const source of [sealingKeys, symmetric?.sealingKeys]) {
      const key = source?.marked(() => Buffer.alloc(12))
      key?.seal("string", "a")
      expect(() => key?.seal("string", "a")).toThrow(TypeError)
      expect(() => source?.marked(() => Buffer.alloc(11))).toThrow(TypeError)
    }
  })
})

test("values and files that are no honey tokens are opened", async () => {
  const { sealingKeys } = await keyring.open(app, 2, "public")
  const opener = createTokenOpener(keyring, app)
  const opened = await opener.openToken(parsed(sealingKeys.current().seal("string", "x")))
  expect(requireValue(opened).value.toString()).toBe("x")
  const file = parseFile(sealFile(Buffer.from("file"), sealingKeys.current()))
  expect(await opener.openFile(file)).toEqual(Buffer.from("file"))
})

test("a honey token is never taken for a value", () => {
  expect(() => requireValue({ value: null, role: null, mark: "" })).toThrow(TypeError)
})
