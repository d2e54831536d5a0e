import { randomBytes } from "node:crypto"
import { runtimeAnswer } from "@sealway/functions/testing"
import {
  agreedContentKey,
  createKeyAgreement,
  generatePrivateKey,
  openToken,
  parseToken,
  uncompressPublicKey,
} from "@sealway/tokens"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { z } from "zod"
import { deploy, invoke, type Language, startHost } from "./local-host.ts"

const app = createKeyAgreement("prime256v1", generatePrivateKey("prime256v1"))
const context = {
  functionName: "charge-card",
  runId: "func_run_1",
  app: "app_1",
  publicKey: {
    ecdhP256KeyUncompressed: uncompressPublicKey("prime256v1", app.publicKey).toString("base64"),
    debug: true,
  },
}
const HANDLER_FILES = { node: "src/handler.mjs", python: "src/handler.py" } as const

/** One behaviour: the body of a module in each language, and the answer of a run. */
interface Behaviour {
  readonly title: string
  readonly node: string
  readonly python: string
  readonly payload?: unknown
  readonly files?: Readonly<Record<string, string>>
  readonly limits?: { readonly timeoutSeconds?: number }
  readonly answers: unknown
}

const success = (result: unknown) => ({ kind: "answered", answer: { status: "success", result } })
const failure = (message: RegExp, initialisation = false) => ({
  kind: "answered",
  answer: { status: "failure", error: { message: expect.stringMatching(message) }, initialisation },
})
const ends = (kind: string, log: RegExp) => ({ kind, answer: null, log: expect.stringMatching(log) })
/** Makes a handler that evaluates one expression with the payload `p` and the context `c`. */
const returns = (node: string, python: string) => ({
  node: `export const handler = (p, c) => (${node})`,
  python: `def handler(p, c):\n    return ${python}`,
})

const MANY = "x".repeat(1_000_000)

const BEHAVIOURS: readonly Behaviour[] = [
  {
    title: "returns a payload as it came, unicode and all",
    ...returns("p", "p"),
    payload: { text: "é\u{1f600}漢\u0000", list: [1, -0.5, true, null, {}], "": [] },
    answers: success({ text: "é\u{1f600}漢\u0000", list: [1, -0.5, true, null, {}], "": [] }),
  },
  {
    title: "tells the handler its function, run and app",
    ...returns("[c.functionName, c.runId, c.app]", "[c.functionName, c.runId, c.app]"),
    answers: success(["charge-card", "func_run_1", "app_1"]),
  },
  {
    title: "answers null when the handler returns nothing",
    ...returns("undefined", "None"),
    answers: success(null),
  },
  {
    title: "waits for an async handler",
    node: "export const handler = async (p) => { await new Promise((r) => setTimeout(r, 10)); return p }",
    python: "import asyncio\nasync def handler(p, c):\n    await asyncio.sleep(0.01)\n    return p",
    payload: 7,
    answers: success(7),
  },
  {
    title: "loads modules that the zip holds, below the root and beside the handler",
    node: 'import { one } from "../lib.mjs"\nimport { two } from "./near.mjs"\nexport const handler = () => [one, two]',
    python: "from lib import one\nfrom .near import two\ndef handler(p, c):\n    return [one, two]",
    files: {
      "lib.mjs": "export const one = 1",
      "src/near.mjs": "export const two = 2",
      "lib.py": "one = 1",
      "src/near.py": "two = 2",
    },
    answers: success([1, 2]),
  },
  {
    title: "passes megabytes both ways",
    ...returns("p + p", "p + p"),
    payload: MANY,
    answers: success(MANY + MANY),
  },
  {
    title: "fails with the message of what the handler throws",
    node: 'export const handler = () => { throw new RangeError("no such card") }',
    python: 'def handler(p, c):\n    raise ValueError("no such card")',
    answers: failure(/^no such card$/),
  },
  {
    title: "fails with the message of what an async handler throws",
    node: 'export const handler = async () => { throw new RangeError("later") }',
    python: 'async def handler(p, c):\n    raise ValueError("later")',
    answers: failure(/^later$/),
  },
  {
    title: "fails with the error's type when it has no message",
    node: "export const handler = () => { throw new RangeError() }",
    python: "def handler(p, c):\n    raise ValueError()",
    answers: failure(/^(RangeError|ValueError)$/),
  },
  {
    title: "fails when what is thrown cannot be shown",
    node: 'export const handler = () => { throw { get message() { throw new Error("again") } } }',
    python:
      "class E(Exception):\n    def __str__(self):\n        raise Exception\ndef handler(p, c):\n    raise E",
    answers: failure(/cannot be shown$/),
  },
  {
    title: "fails when the recursion has no end",
    node: "export const handler = () => handler()",
    python: "def handler(p, c):\n    return handler(p, c)",
    answers: failure(/maximum/i),
  },
  {
    title: "fails to initialise on a syntax error",
    node: "export const handler = (",
    python: "def handler(",
    answers: failure(/^The function failed to initialise: /, true),
  },
  {
    title: "fails to initialise without a module that it imports",
    node: 'import "left-pad"\nexport const handler = () => 1',
    python: "import left_pad\ndef handler(p, c):\n    return 1",
    answers: failure(/^The function failed to initialise: .*left.pad/, true),
  },
  {
    title: "fails to initialise when the module throws",
    node: 'throw new Error("no settings")',
    python: 'raise Exception("no settings")',
    answers: failure(/^The function failed to initialise: no settings$/, true),
  },
  {
    title: "fails to initialise without a handler",
    node: "export const handle = () => 1",
    python: "def handle(p, c):\n    return 1",
    answers: failure(
      /^The function failed to initialise: src\/handler\.\w+ \w+ no function named handler$/,
      true,
    ),
  },
  ...(
    [
      ["a function", "[() => 1]", "[lambda: 1]"],
      ["NaN", "{ n: NaN }", '{"n": float("nan")}'],
      ["infinity", "-Infinity", 'float("-inf")'],
      ["what holds itself", "((a) => { a.push(a); return a })([])", "(lambda a: (a.append(a), a)[1])([])"],
      ["a number of another kind", "10n", '__import__("decimal").Decimal(10)'],
      ["a lone surrogate", '"\\ud800"', '"\\ud800"'],
    ] as const
  ).map(([what, node, python]) => ({
    title: `fails when the result is ${what}`,
    ...returns(node, python),
    answers: failure(/^The result is not JSON: /),
  })),
  {
    title: "reports that the process exits while it runs",
    ...returns("process.exit(3)", '__import__("sys").exit(3)'),
    answers: ends("exited", /^RequestId: [0-9a-f-]{36} Error: Runtime exited with error: exit status 3$/m),
  },
  {
    title: "reports that the process exits while it loads",
    node: "process.exit(0)",
    python: "import os\nos._exit(0)",
    answers: ends("exited", /Runtime exited without providing a reason$/),
  },
  {
    title: "reports that the process is aborted",
    node: "export const handler = () => process.abort()",
    python: "import os\ndef handler(p, c):\n    os.abort()",
    answers: ends("exited", /Runtime exited with error: signal: aborted$/),
  },
  {
    title: "is stopped when it runs for longer than it may",
    node: "export const handler = () => { for (;;) {} }",
    python: "def handler(p, c):\n    while True:\n        pass",
    limits: { timeoutSeconds: 1 },
    answers: ends("timed-out", /Task timed out after 1\.00 seconds$/),
  },
  {
    title: "is stopped when it prints without end",
    node: 'export const handler = () => { for (;;) console.log("x".repeat(1000)) }',
    python: 'def handler(p, c):\n    while True:\n        print("x" * 1000)',
    limits: { timeoutSeconds: 1 },
    answers: ends("timed-out", /Task timed out/),
  },
  {
    title: "may print some megabytes, lines without end too",
    node: 'export const handler = () => { process.stdout.write("x".repeat(3e6)); console.error("y".repeat(3e6)); return 1 }',
    python:
      'import sys\ndef handler(p, c):\n    sys.stdout.write("x" * 3000000)\n    print("y" * 3000000, file=sys.stderr)\n    return 1',
    answers: success(1),
  },
  {
    title: "is stopped when it exhausts its memory bit by bit",
    node: "export const handler = () => { const all = []; for (;;) all.push(Buffer.alloc(1e6, 1)) }",
    python:
      "def handler(p, c):\n    everything = []\n    while True:\n        everything.append(bytearray(b'x') * 1000000)",
    answers: ends("out-of-memory", /signal: killed$/),
  },
  {
    title: "is stopped when it exhausts its memory with small objects",
    node: "export const handler = () => { const all = []; for (;;) all.push({ a: [all.length] }) }",
    python:
      "def handler(p, c):\n    everything = []\n    while True:\n        everything.append([len(everything)])",
    answers: ends("out-of-memory", /signal: killed$/),
  },
  {
    title: "is told when its result is larger than Lambda returns",
    ...returns('"x".repeat(7e6)', '"x" * 7000000'),
    answers: ends("answer-too-large", /exceeded maximum allowed payload size/),
  },
]

const { host } = await startHost()
afterAll(() => host.close())

describe.each<Language>(["node", "python"])("a function in %s", (language) => {
  const made = new Map<string, string>()
  beforeAll(async () => {
    for (const behaviour of BEHAVIOURS) made.set(behaviour.title, await deployed(language, behaviour))
  })

  test.concurrent.each(BEHAVIOURS)("$title", async ({ title, payload = null, answers }) => {
    expect(await invoke(host, made.get(title) ?? "", { payload, context })).toMatchObject({
      ...Object(answers),
    })
  })

  test("keeps its state from run to run, and loses it after an exit", async () => {
    const name = await deployed(language, {
      node: "let runs = 0\nexport const handler = (p) => { if (p) process.exit(1); return ++runs }",
      python:
        "import os\nruns = 0\ndef handler(p, c):\n    global runs\n    if p:\n        os._exit(1)\n    runs += 1\n    return runs",
    })
    const run = (payload: boolean) => invoke(host, name, { payload, context })

    const answers = [await run(false), await run(false), await run(true), await run(false)]

    expect(answers).toMatchObject([
      { answer: { result: 1 } },
      { answer: { result: 2 } },
      { kind: "exited" },
      { answer: { result: 1 } },
    ])
  })

  test.each(["sync", "async", "init"] as const)(
    "reports where it failed, and nothing of what called it: %s",
    async (kind) => {
      const fails = {
        node: {
          sync: 'function inner() { throw new Error("x") }\nexport const handler = () => inner()',
          async:
            'async function inner() { throw new Error("x") }\nexport const handler = async () => { await inner() }',
          init: 'function inner() { throw new Error("x") }\ninner()',
        },
        python: {
          sync: "def inner():\n    raise Exception('x')\ndef handler(p, c):\n    inner()",
          async: "async def inner():\n    raise Exception('x')\nasync def handler(p, c):\n    await inner()",
          init: "def inner():\n    raise Exception('x')\ninner()",
        },
      }
      const name = await deployed(language, { node: fails.node[kind], python: fails.python[kind] })

      const { answer } = await invoke(host, name, { payload: null, context })

      const { stack } = z.object({ error: z.object({ stack: z.string() }) }).parse(answer).error
      expect(stack).toMatch(/inner/)
      expect(stack.match(/handler\.(mjs|py)/g)?.length).toBeGreaterThanOrEqual(2)
      expect(stack).not.toMatch(/__sealway__|importlib|asyncio|node:internal/)
    },
  )

  test("loads its module again after that has failed", async () => {
    const name = await deployed(language, {
      node: 'globalThis.loads = (globalThis.loads ?? 0) + 1\nif (globalThis.loads === 1) throw new Error("not yet")\nexport const handler = () => globalThis.loads',
      python:
        'import sys\nsys.loads = getattr(sys, "loads", 0) + 1\nif sys.loads <= 1:\n    raise Exception("not yet")\ndef handler(p, c):\n    return sys.loads',
    })

    // Once as the instance starts, and once more as it is invoked.
    expect(await invoke(host, name, { payload: null, context })).toMatchObject(success(2))
  })

  test("seals values with the app's public key, so that the app's private key opens them", async () => {
    const name = await deployed(language, {
      ...returns('[c.encrypt(p), c.encrypt(p, "pci")]', '[c.encrypt(p), c.encrypt(p, "pci")]'),
    })
    const payload = { card: "4242424242424242", cents: 1250, live: false, none: null }

    const { answer } = await invoke(host, name, { payload, context })

    const parsed = runtimeAnswer.parse(answer)
    const results = z
      .array(z.object({ card: z.string(), cents: z.string(), live: z.string(), none: z.null() }))
      .parse(parsed.status === "success" ? parsed.result : null)
    expect(results.map(({ card, cents, live }) => [card, cents, live].map(open))).toEqual(
      [null, "pci"].map((role) => [
        { type: "string", value: "4242424242424242", role },
        { type: "number", value: "1250", role },
        { type: "boolean", value: "false", role },
      ]),
    )
  })
})

test("ends a Node.js function on an unhandled rejection", async () => {
  const name = await deployed("node", {
    node: 'export const handler = () => { Promise.reject(new Error("lost")); return new Promise(() => {}) }',
    python: "",
  })

  expect(await invoke(host, name, { payload: null, context })).toMatchObject(
    ends("exited", /"Runtime.UnhandledPromiseRejection","errorMessage":"lost"/),
  )
})

test.each(["exports.handler = async (p) => p", "module.exports = { handler: (p) => p }"])(
  "runs a CommonJS module too: %s",
  async (source) => {
    const name = `cjs-${randomBytes(6).toString("hex")}`
    await deploy(host, "node", name, "handler.js", { "handler.js": source })

    expect(await invoke(host, name, { payload: 5, context })).toMatchObject(success(5))
  },
)

async function deployed(
  language: Language,
  behaviour: Pick<Behaviour, Language | "files" | "limits">,
): Promise<string> {
  const name = `f-${randomBytes(6).toString("hex")}`
  const file = HANDLER_FILES[language]
  const files = { ...behaviour.files, [file]: behaviour[language] }
  await deploy(host, language, name, file, files, behaviour.limits)
  return name
}

function open(text: string) {
  const token = parseToken(text)
  if (token === null) throw new Error("not a token")
  const contentKey = agreedContentKey(token, app)
  const { type, value, role } = openToken(token, contentKey, app.publicKey)
  return { type, value: value.toString(), role }
}
