// Runs inside each instance of a Node.js function, instead of AWS's runtime interface client: loads the handler that
// `_HANDLER` names, reads invocations from file descriptor 3 and writes their outcomes (instance.ts).
import { existsSync, writeSync } from "node:fs"
import { Socket } from "node:net"
import { join } from "node:path"
import { Writable } from "node:stream"
import { pathToFileURL } from "node:url"

const HEADER_BYTES = 5
const MAX_RESPONSE_BYTES = 6_291_556
const MAX_PRINTED_CHARACTERS = 4_096
const { _HANDLER: HANDLER = "", LAMBDA_TASK_ROOT: ROOT = "" } = process.env

const channel = new Socket({ fd: 3, readable: true, writable: true })
let received = Buffer.alloc(0)
channel.on("close", () => process.exit(0))

// As on AWS, printing blocks until it is written: Node.js's own streams would buffer the output of a loop in memory.
for (const [name, fd] of [
  ["stdout", 1],
  ["stderr", 2],
]) {
  const stream = new Writable({ write: (chunk, _, done) => done(print(fd, chunk)) })
  Object.defineProperty(process, name, { value: Object.assign(stream, { fd }), enumerable: true })
}

process.on("uncaughtException", (error) => endWith(129, failureOf(error)))
process.on("unhandledRejection", (reason) => {
  const { errorMessage, trace } = failureOf(reason)
  endWith(128, { errorType: "Runtime.UnhandledPromiseRejection", errorMessage, trace })
})

try {
  const handler = await load()
  channel.on("data", (chunk) => {
    received = Buffer.concat([received, chunk])
    takeInvocations(handler)
  })
  send("R", "")
} catch (error) {
  endWith(1, failureOf(error))
}

async function load() {
  const dot = HANDLER.indexOf(".", HANDLER.lastIndexOf("/") + 1)
  const [module, name] = [HANDLER.slice(0, dot), HANDLER.slice(dot + 1)]
  const path = [".js", ".mjs", ".cjs"]
    .map((ending) => join(ROOT, module + ending))
    .find((each) => existsSync(each))
  if (path === undefined) throw typed("Runtime.ImportModuleError", `Error: Cannot find module '${module}'`)
  let loaded
  try {
    loaded = await import(pathToFileURL(path).href)
  } catch (error) {
    if (error instanceof SyntaxError)
      throw typed("Runtime.UserCodeSyntaxError", `SyntaxError: ${error.message}`)
    if (error?.code === "ERR_MODULE_NOT_FOUND" || error?.code === "MODULE_NOT_FOUND") {
      throw typed("Runtime.ImportModuleError", `Error: ${error.message}`)
    }
    throw error
  }
  const handler = loaded[name] ?? loaded.default?.[name]
  if (typeof handler !== "function") {
    throw typed("Runtime.HandlerNotFound", `${HANDLER} is undefined or not exported`)
  }
  return handler
}

function print(fd, chunk) {
  try {
    for (let at = 0; at < chunk.length; ) at += writeSync(fd, chunk, at)
  } catch {
    // Nobody reads any more: this process is about to be killed.
  }
}

function takeInvocations(handler) {
  while (received.length >= HEADER_BYTES) {
    const end = HEADER_BYTES + received.readUInt32BE(1)
    if (received.length < end) return
    const body = received.subarray(HEADER_BYTES, end)
    received = received.subarray(end)
    answer(handler, body)
  }
}

async function answer(handler, body) {
  try {
    const line = body.indexOf(10)
    const { requestId, deadlineMs } = JSON.parse(body.toString("utf8", 0, line))
    const event = JSON.parse(body.toString("utf8", line + 1))
    const result = (await handler(event, contextOf(requestId, deadlineMs))) ?? null
    const text = Buffer.from(JSON.stringify(result) ?? "null")
    if (text.length > MAX_RESPONSE_BYTES) {
      throw typed(
        "Function.ResponseSizeTooLarge",
        `Response payload size (${text.length} bytes) exceeded maximum allowed payload size (${MAX_RESPONSE_BYTES} bytes).`,
      )
    }
    send("S", text)
  } catch (error) {
    const failure = failureOf(error)
    report(failure)
    send("E", JSON.stringify(failure))
  }
}

function contextOf(awsRequestId, deadlineMs) {
  const { AWS_LAMBDA_FUNCTION_NAME: functionName, AWS_LAMBDA_FUNCTION_MEMORY_SIZE: memoryLimitInMB } =
    process.env
  const getRemainingTimeInMillis = () => deadlineMs - Date.now()
  return { awsRequestId, functionName, functionVersion: "$LATEST", memoryLimitInMB, getRemainingTimeInMillis }
}

function typed(errorType, message) {
  return Object.assign(new Error(message), { name: errorType })
}

function failureOf(thrown) {
  try {
    const { name, message, stack } =
      thrown instanceof Error ? thrown : { name: "Error", message: thrown, stack: "" }
    const trace = String(stack).slice(0, 16_384).split("\n")
    return { errorType: String(name), errorMessage: String(message).slice(0, 4_096), trace }
  } catch {
    return { errorType: "Error", errorMessage: "The error cannot be shown", trace: [] }
  }
}

function endWith(code, failure) {
  report(failure)
  channel.end(frame("F", JSON.stringify(failure)), () => process.exit(code))
}

/** As on AWS, the process itself prints what went wrong. */
function report(failure) {
  process.stderr.write(`${JSON.stringify(failure).slice(0, MAX_PRINTED_CHARACTERS)}\n`)
}

function send(type, body) {
  channel.write(frame(type, body))
}

function frame(type, body) {
  const bytes = Buffer.from(body)
  const header = Buffer.alloc(HEADER_BYTES)
  header.write(type, "latin1")
  header.writeUInt32BE(bytes.length, 1)
  return Buffer.concat([header, bytes])
}
