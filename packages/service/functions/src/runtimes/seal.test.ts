import { execFile } from "node:child_process"
import { createECDH } from "node:crypto"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { promisify } from "node:util"
import {
  agreedContentKey,
  contentKeyId,
  createKeyAgreement,
  generatePrivateKey,
  openToken,
  parseToken,
  uncompressPublicKey,
} from "@sealway/tokens"
import { expect, test } from "vitest"
import { z } from "zod"

const app = createKeyAgreement("prime256v1", generatePrivateKey("prime256v1"))
const publicKey = {
  ecdhP256KeyUncompressed: uncompressPublicKey("prime256v1", app.publicKey).toString("base64"),
  debug: false,
}
const EPOCH_SECONDS = 4_294_967_295

/** Literals in both languages, or the name of the error that sealing them throws. */
interface Case {
  readonly title: string
  readonly node: string
  readonly python: string
  readonly opens?: { readonly type: "string" | "number" | "boolean"; readonly value: string }
  readonly refuses?: string
}
const string = (value: string) => ({ type: "string", value }) as const
const number = (value: string) => ({ type: "number", value }) as const
const same = (title: string, literal: string, opens: Case["opens"] & {}): Case => ({
  title,
  node: literal,
  python: literal,
  opens,
})

const CASES: readonly Case[] = [
  same("an empty string", '""', string("")),
  same("a string", '"4242424242424242"', string("4242424242424242")),
  same("unicode", '"é\u{1f600}漢\\u0000\\n"', string("é\u{1f600}漢\u0000\n")),
  same("what only begins like a token", '"ev:Tk9D:x"', string("ev:Tk9D:x")),
  {
    ...same("a long string", "", string("x".repeat(300_000))),
    node: '"x".repeat(300000)',
    python: '"x" * 300000',
  },
  same("zero", "0", number("0")),
  same("a negative number", "-17", number("-17")),
  same("minus zero", "-0.0", number("-0.0")),
  same("a fraction", "0.1", number("0.1")),
  { title: "a large double", node: "1e300", python: "1e300", opens: number("1e+300") },
  {
    ...same("a number of many digits", "", number("12345678901234567890")),
    node: "12345678901234567890n",
    python: "12345678901234567890",
  },
  {
    ...same("a number of 5,000 digits", "", number(`1${"0".repeat(5_000)}`)),
    node: "10n ** 5000n",
    python: "10 ** 5000",
  },
  { title: "true", node: "true", python: "True", opens: { type: "boolean", value: "true" } },
  { title: "false", node: "false", python: "False", opens: { type: "boolean", value: "false" } },
  { title: "NaN", node: "Number.NaN", python: 'float("nan")', refuses: "TypeError" },
  { title: "infinity", node: "-Infinity", python: 'float("-inf")', refuses: "TypeError" },
  { title: "a lone surrogate", node: '"\\ud800"', python: '"\\ud800"', refuses: "TypeError" },
  { title: "a function", node: "() => 1", python: "lambda: 1", refuses: "TypeError" },
  { title: "an instance", node: "new Date(0)", python: "object()", refuses: "TypeError" },
  { title: "bytes", node: "Buffer.of(1)", python: 'b"1"', refuses: "TypeError" },
  {
    title: "what holds itself",
    node: "((a) => { a.push(a); return a })([])",
    python: "(lambda a: (a.append(a), a)[1])([])",
    refuses: "TypeError",
  },
]

const outcome = z.array(z.object({ value: z.unknown().optional(), error: z.string().optional() }))
type Outcomes = z.infer<typeof outcome>

const languages = { node: sealInNode, python: sealInPython }

for (const [language, seal] of Object.entries(languages)) {
  test.each([false, true])(`${language}: opens tokens as what was sealed, debug %s`, async (debug) => {
    const key = { ...publicKey, debug }
    const opening = CASES.filter(({ opens }) => opens !== undefined)
    for (const role of [null, "pci-1", "a".repeat(20)]) {
      const sealed = await seal(opening, role, key)
      const opened = sealed.map(({ value }) => open(value))
      expect(opened).toEqual(
        opening.map(({ opens }) => ({
          ...opens,
          role,
          encryptedAt: role === null ? null : EPOCH_SECONDS,
          debug,
          version: role === null ? "Tk9D" : "QkTC",
        })),
      )
    }
  })

  test(`${language}: refuses values that are not JSON`, async () => {
    const refused = CASES.filter(({ refuses }) => refuses !== undefined)
    const outcomes = await seal(refused, null, publicKey)
    expect(outcomes).toEqual(refused.map(({ refuses }) => ({ error: refuses })))
  })

  test.each(["", "Upper", "a".repeat(21), "a\n", "é"])(`${language}: refuses the role %o`, async (role) => {
    const outcomes = await seal([same("a string", '"x"', string("x"))], role, publicKey)
    expect(outcomes).toEqual([{ error: "TypeError" }])
  })

  test(`${language}: keeps shapes, nulls and tokens, and seals the values in them`, async () => {
    const [first] = await seal([same("a string", '"x"', string("x"))], null, publicKey)
    const token = z.string().parse(first?.value)
    const document = `{"__proto__":["a",{"n":1}],"token":"${token}","empty":{},"list":[]}`
    const literal = language === "node" ? `JSON.parse(${JSON.stringify(document)})` : document
    const [sealed] = await seal([{ title: "", node: literal, python: literal }], "pci", publicKey)

    const text = JSON.stringify(sealed?.value)
    const made = (text.match(/ev:[^"]*/g) ?? []).filter((each) => each !== token)
    expect(made.map(open)).toMatchObject([
      { ...string("a"), role: "pci" },
      { ...number("1"), role: "pci" },
    ])
    expect(text.replace(made[0] ?? "", "a").replace(`"${made[1]}"`, "1")).toBe(document)
  })

  test(`${language}: never repeats an IV, and shares one ephemeral key per run`, async () => {
    const one = same("a string", '"x"', string("x"))
    const tokens = (
      await seal(
        Array.from({ length: 40 }, () => one),
        null,
        publicKey,
      )
    ).map(({ value }) => parseToken(z.string().parse(value)))
    expect(new Set(tokens.map((token) => token?.iv.toString("hex"))).size).toBe(40)
    const keyIds = new Set(tokens.map((token) => token && contentKeyId(token)))
    expect(keyIds.size).toBe(1)
    const [again] = await seal([one], null, publicKey)
    const other = parseToken(z.string().parse(again?.value))
    expect(keyIds).not.toContain(other && contentKeyId(other))
  })

  test(`${language}: refuses an app's key that is not a point of P-256`, async () => {
    const offCurve = Buffer.from(publicKey.ecdhP256KeyUncompressed, "base64")
    offCurve[64] = (offCurve[64] ?? 0) ^ 1
    const other = createECDH("secp256k1").generateKeys()
    for (const point of [offCurve, other, other.subarray(0, 33), Buffer.alloc(65), Buffer.alloc(0)]) {
      const key = { ...publicKey, ecdhP256KeyUncompressed: point.toString("base64") }
      const [refused] = await seal([same("a string", '"x"', string("x"))], null, key)
      expect(refused?.error).toMatch(/^(Error|TypeError|ValueError|RuntimeError)$/)
    }
  })
}

function open(value: unknown) {
  const token = parseToken(z.string().parse(value))
  if (token === null) throw new Error("not a token")
  const contentKey = agreedContentKey(token, app)
  const { type, value: bytes, role, encryptedAt } = openToken(token, contentKey, app.publicKey)
  return { type, value: bytes.toString(), role, encryptedAt, debug: token.debug, version: token.version }
}

async function sealInNode(cases: readonly Case[], role: string | null, key: object): Promise<Outcomes> {
  const seal = JSON.stringify(pathToFileURL(join(import.meta.dirname, "node/seal.mjs")).href)
  const script = `
    import { createEncrypt } from ${seal}
    const encrypt = createEncrypt(${JSON.stringify(key)}, () => ${EPOCH_SECONDS})
    const outcomes = [${cases.map(({ node }) => `() => (${node})`).join(",")}].map((value) => {
      try { return { value: encrypt(value(), ${JSON.stringify(role)}) } } catch (error) { return { error: error.constructor.name } }
    })
    process.stdout.write(JSON.stringify(outcomes))`
  return run(process.execPath, ["--input-type=module", "-e", script])
}

async function sealInPython(cases: readonly Case[], role: string | null, key: object): Promise<Outcomes> {
  const script = `
import json, sys
sys.path.insert(0, ${JSON.stringify(join(import.meta.dirname, "python"))})
from seal import create_encrypt
encrypt = create_encrypt(json.loads(${JSON.stringify(JSON.stringify(key))}), lambda: ${EPOCH_SECONDS})
outcomes = []
for value in [${cases.map(({ python }) => `lambda: (${python})`).join(",")}]:
    try:
        outcomes.append({"value": encrypt(value(), ${role === null ? "None" : JSON.stringify(role)})})
    except Exception as error:
        outcomes.append({"error": type(error).__name__})
json.dump(outcomes, sys.stdout)`
  return run("python3", ["-I", "-B", "-c", script])
}

async function run(command: string, args: readonly string[]): Promise<Outcomes> {
  const { stdout } = await promisify(execFile)(command, args, { maxBuffer: 64 << 20 })
  return outcome.parse(JSON.parse(stdout))
}
