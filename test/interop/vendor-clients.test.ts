import { spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { env, execPath, stdout } from "node:process"
import { text } from "node:stream/consumers"
import { beforeAll, describe, expect, test } from "vitest"
import { deployFunction } from "../support/functions.ts"
import { useService } from "../support/service.ts"
import { findPython } from "./vendors/python.ts"

/**
 * What the vendors' clients do with the service. Neither the package on npm nor that on PyPI contains its vendor's tests,
 * the Go proxy refuses the module, and Maven Central has no version: the requests of those are in client-requests.test.ts.
 */

interface Case {
  readonly title: string
  /** What a client is asked to do: see `vendors/`. */
  readonly task: { readonly action: string; readonly [input: string]: unknown }
  /** What it must report. */
  readonly expected: object
  /** The only client that can do it. */
  readonly only?: "Python"
}

const VENDORS = join(import.meta.dirname, "vendors")
const service = useService()
const token = expect.stringMatching(/^ev:/)
const jwt = expect.stringMatching(/^eyJ/)
const HANDLER = `export const handler = async (payload) => {
  if (payload.fail) throw new Error(payload.fail)
  return { seen: payload }
}`
const BROKEN = 'import "left-pad"\nexport const handler = () => 1'
const VALUES: readonly (readonly [title: string, data: unknown])[] = [
  ["a string", "4242424242424242"],
  ["text beyond ASCII", "héllo wörld ✓ 🚀"],
  ["an integer", 42],
  ["a float", 12.5],
  ["a boolean", false],
  ["a list", ["a", 1, true, ["b"]]],
  ["an object", { a: "x", b: { c: [1, { d: true }] } }],
]

/** @param sealed a token of the app, and one whose role permits nothing */
const casesOf = (sealed: string, denied: string): readonly Case[] => [
  ...VALUES.map(([title, data]) => ({
    title: `encrypts and decrypts ${title}`,
    task: { action: "round-trip", data },
    expected: { result: data },
  })),
  {
    title: "encrypts and decrypts a file",
    task: { action: "round-trip-file", data: "a contract" },
    expected: { result: "a contract" },
  },
  {
    title: "encrypts with a role",
    task: { action: "encrypt", data: { card: "4242" }, role: "denied" },
    expected: { result: { card: token } },
  },
  {
    title: "decrypts what the service has encrypted",
    task: { action: "decrypt", data: { card: sealed } },
    expected: { result: { card: "4242424242424242" } },
  },
  {
    title: "reports a value that a policy does not permit",
    task: { action: "decrypt", data: { card: denied } },
    expected: { error: expect.stringContaining("policies") },
  },
  ...([{ card: sealed }, [sealed], sealed] as const).map((data) => ({
    title: `gets a client-side token for ${Array.isArray(data) ? "a list" : `one ${typeof data}`}`,
    task: { action: "client-side-token", data },
    expected: { result: expect.objectContaining({ token: jwt }) },
  })),
  {
    title: "runs a function",
    task: { action: "run", name: "charge", data: { card: "4242", amount: 12.5 } },
    expected: {
      result: expect.objectContaining({
        status: "success",
        result: { seen: { card: "4242", amount: 12.5 } },
      }),
    },
  },
  {
    title: "reports what a function has thrown",
    task: { action: "run", name: "charge", data: { fail: "declined" } },
    expected: { error: expect.stringContaining("declined") },
  },
  {
    title: "reports a function that cannot be loaded",
    task: { action: "run", name: "broken", data: { a: 1 } },
    expected: { error: expect.stringContaining("failed to initialize") },
  },
  {
    only: "Python",
    title: "schedules a run",
    task: { action: "run-later", name: "charge", data: { a: 1 } },
    expected: { result: expect.objectContaining({ status: "scheduled" }) },
  },
  {
    title: "gets a run token",
    task: { action: "run-token", name: "charge", data: { card: sealed } },
    expected: { result: expect.objectContaining({ token: jwt }) },
  },
]

let cases: readonly Case[]

beforeAll(async () => {
  await service.newRole(service.sandbox.app, "denied")
  await deployFunction(service, "charge", "index.mjs", HANDLER)
  await deployFunction(service, "broken", "index.mjs", BROKEN)
  const seal = async (headers: Readonly<Record<string, string>>) =>
    String((await service.post("/encrypt", '"4242424242424242"', { headers })).json)
  cases = casesOf(await seal({}), await seal({ "x-service-data-role": "denied" }))
}, 60_000)

interface Client {
  readonly name: "Node.js" | "Python"
  readonly command: readonly [program: string, ...args: string[]]
  /** As the client wants it: see docs/clients.md. */
  readonly apiUrl: string
}

/** Asks a client, a case after the other, and prints how many it passes: a decision that lowers the count is seen. */
async function expectToPass(
  { name, command: [program, ...args], apiUrl }: Client,
  curve: string,
): Promise<void> {
  const asked = cases.filter(({ only = name }) => only === name)
  const { user, key } = service.sandbox.auth
  const variables = { EV_API_URL: apiUrl, SEALWAY_APP: user, SEALWAY_API_KEY: key }
  const child = spawn(program, [...args, curve], {
    env: { ...env, ...variables },
    stdio: ["pipe", "pipe", "pipe"],
  })
  child.stdin.end(asked.map(({ task }) => `${JSON.stringify(task)}\n`).join(""))
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")])
  const answers = output.split("\n").filter((line) => line !== "")
  expect(answers.length, errors).toBe(asked.length)
  const failures = asked.flatMap(({ title, expected }, index) => {
    const answer: unknown = JSON.parse(answers[index] ?? "")
    return isLike(answer, expected) ? [] : [`${title}: ${answers[index]}`]
  })
  stdout.write(`${name} on ${curve}: ${asked.length - failures.length}/${asked.length}\n`)
  expect(failures).toEqual([])
}

function isLike(answer: unknown, expected: object): boolean {
  try {
    expect(answer).toEqual(expected)
    return true
  } catch {
    return false
  }
}

describe.each(["prime256v1", "secp256k1"])("on %s, the published client passes each case", (curve) => {
  test("from npm, on Node.js", async () => {
    const command = [execPath, join(VENDORS, "client.mjs")] as const
    await expectToPass({ name: "Node.js", command, apiUrl: service.url }, curve)
  }, 60_000)

  test("from PyPI, on Python", async ({ skip }) => {
    const python = await findPython()
    if (python === null) {
      skip("needs python3 and access to PyPI, or EVERVAULT_PYTHON")
      return
    }
    const command = [python, join(VENDORS, "client.py")] as const
    await expectToPass({ name: "Python", command, apiUrl: `${service.url}/` }, curve)
  }, 300_000)
})
