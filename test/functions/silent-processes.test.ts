import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { beforeAll, describe, expect, onTestFinished, test } from "vitest"
import * as z from "zod"
import { deployFunction } from "../support/functions.ts"
import { useService } from "../support/service.ts"

const service = useService()
const MARKER = "value-marker-4711"

const NODE = `import fs, { writeSync } from "node:fs"
const { log } = console
let seen = "nothing"
export const handler = async ({ value, exit }) => {
  if (value) seen = value
  console.log("console", seen)
  console.error(new Error(seen))
  console.table([seen])
  log("kept", seen)
  process.stdout.write(seen + " stdout\\n")
  await new Promise((done) => process.stderr.write(seen + " stderr\\n", done))
  writeSync(1, seen + " descriptor\\n")
  fs.writeSync(2, Buffer.from(seen + " descriptor\\n"))
  fs.writeFileSync(1, seen + " file\\n")
  await fs.promises.appendFile("/dev/stdout", seen + " path\\n").catch(() => undefined)
  process._rawDebug("raw", seen)
  await new Promise((done) => fs.write(1, seen + " callback\\n", done))
  if (exit) setImmediate(() => { throw new Error("uncaught " + seen) })
  if (exit) await new Promise((done) => setTimeout(done, 5_000))
  return seen
}`
const PYTHON = `import logging, os, sys
seen = "nothing"
logging.basicConfig(level=logging.INFO)

def handler(payload, context):
    global seen
    seen = payload.get("value", seen)
    print("printed", seen)
    print("error", seen, file=sys.stderr)
    logging.getLogger("shop").info("logged %s", seen)
    os.write(1, (seen + " descriptor\\n").encode())
    if payload.get("exit"):
        raise MemoryError("uncaught " + seen)
    return seen
`

describe.each([
  ["node", "index.mjs", NODE],
  ["python", "main.py", PYTHON],
])("a process of a function in %s", (name, handler, source) => {
  const run = async (payload: object) =>
    z
      .looseObject({ status: z.string() })
      .parse((await service.post(`/functions/${name}/runs`, { payload })).json)
  const logs = async () => (await service.get(`/functions/${name}/logs?limit=1000`)).text

  beforeAll(async () => {
    expect(await deployFunction(service, name, handler, source)).toMatchObject({ status: "ready" })
  })

  test("logs nothing more once it got a value of a data subject, however it prints and in later runs too", async () => {
    const headers = { "x-service-data-subject": name }
    const token = (await service.post("/encrypt", `"${MARKER}"`, { headers })).json
    expect(await run({})).toMatchObject({ status: "success", result: "nothing" })
    const before = await logs()
    expect(before.match(/nothing/g)?.length).toBeGreaterThanOrEqual(4)
    expect(await run({ value: token })).toMatchObject({ status: "success", result: MARKER })
    expect(await run({})).toMatchObject({ status: "success", result: MARKER })
    expect(await run({ exit: true })).toMatchObject({ status: "failure" })
    const after = await logs()
    expect(after).toContain("It logs nothing more")
    expect(after).not.toContain(MARKER)
    // Another process begins with nothing, and logs again.
    expect(await run({})).toMatchObject({ status: "success", result: "nothing" })
    expect((await logs()).match(/nothing/g)?.length).toBeGreaterThan(after.match(/nothing/g)?.length ?? 0)
  })

  test("logs what it prints of values that are no data subject's", async () => {
    const token = (await service.post("/encrypt", '"nobody-in-particular"')).json
    expect(await run({ value: token })).toMatchObject({ result: "nobody-in-particular" })
    expect(await logs()).toContain("nobody-in-particular")
  })
})

/** Where Lambda writes to the log itself: what it puts in place of the console, or its handler of Python's logging. */
const AS_ON_LAMBDA = {
  node: `import { writeSync } from "node:fs"
for (const name of ["log", "error"]) console[name] = (...said) => writeSync(3, said.join(" ") + "\\n")
for (const end of ["uncaughtException", "unhandledRejection"])
  process.on(end, ({ message }) => { writeSync(3, message); process.exit(1) })
const { silence } = await import("./silence.mjs")
const { log } = console
log("before")
silence()
for (const say of [log, console.log, console.error]) say("after")
if (process.env.END === "rejection") Promise.reject(new Error("after"))
else throw new Error("after")`,
  python: `import logging, os
class Handler(logging.Handler):
    def emit(self, record):
        os.write(3, (record.getMessage() + "\\n").encode())
logging.getLogger().addHandler(Handler())
from silence import silence, unspoken
logging.error("before")
assert str(unspoken(MemoryError("text"))) == "text"
silence()
logging.error("after")
os.write(3, str(unspoken(MemoryError("after"))).encode())`,
} as const

test.each([
  ["node", process.execPath, ["--input-type=module", "-e", AS_ON_LAMBDA.node], "exception"],
  ["node", process.execPath, ["--input-type=module", "-e", AS_ON_LAMBDA.node], "rejection"],
  ["python", "python3", ["-B", "-c", AS_ON_LAMBDA.python], "exception"],
] as const)(
  "in %s, the log that Lambda writes itself falls silent too, also about what ends the process",
  async (language, command, parameters, end) => {
    const cwd = join(import.meta.dirname, "../../packages/service/functions/src/runtimes", language)
    const child = spawn(command, parameters, {
      cwd,
      stdio: ["ignore", "ignore", "inherit", "pipe"],
      env: { ...process.env, END: end },
    })
    const log = child.stdio[3]
    if (log === null || log === undefined || !("read" in log)) throw new Error("There is no log")
    const [said] = await Promise.all([text(log), once(child, "exit")])
    expect(said).toMatch(/^before\n/)
    expect(said).not.toContain("after")
  },
)

/** Runs the wrapper itself with code that ends its process, and says what it would have ended with. */
const END_ON_LAMBDA = `import json, os, shutil, sys
root = sys.argv[1]
shutil.copytree(sys.argv[2], os.path.join(root, "sealway", "python"))
open(os.path.join(root, "sealway", "__init__.py"), "w").close()
with open(os.path.join(root, "sealway", "python", "handler.json"), "w") as file:
    json.dump({"file": "main.py"}, file)
with open(os.path.join(root, "main.py"), "w") as file:
    file.write("def handler(payload, context):\\n    raise MemoryError('text of ' + payload)\\n")
sys.path.insert(0, root)
from sealway.python.runtime import handler
context = {"functionName": "f", "runId": "r", "app": "a", "publicKey": None}
for is_silent, payload in ((False, "before"), (True, "after")):
    try:
        handler({"isSilent": is_silent, "payload": payload, "context": context}, None)
    except MemoryError as error:
        os.write(3, (str(error) + "\\n").encode())`

test("in python, the wrapper ends the process with the text of an error only while it may log", async () => {
  const root = await mkdtemp(join(tmpdir(), "sealway-test-"))
  onTestFinished(() => rm(root, { recursive: true }))
  const runtime = join(import.meta.dirname, "../../packages/service/functions/src/runtimes/python")
  const child = spawn("python3", ["-B", "-c", END_ON_LAMBDA, root, runtime], {
    stdio: ["ignore", "ignore", "inherit", "pipe"],
  })
  const log = child.stdio[3]
  if (log === null || log === undefined || !("read" in log)) throw new Error("There is no log")
  const [said] = await Promise.all([text(log), once(child, "exit")])
  expect(said.trimEnd().split("\n")).toEqual(["text of before"])
})
