// The layer between Lambda and a customer's handler: loads the handler's module, passes it the decrypted payload and a
// context, and converts any outcome to one answer (invocation.ts). python/runtime.py does the same.
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { createEncrypt } from "./seal.mjs"
import { silence } from "./silence.mjs"

const MAX_MESSAGE_CHARACTERS = 4_096
const MAX_STACK_CHARACTERS = 16_384

const { file } = JSON.parse(readFileSync(new URL("handler.json", import.meta.url), "utf8"))
const rootUrl = new URL("../", import.meta.url)
const moduleUrl = new URL(`../${file.split("/").map(encodeURIComponent).join("/")}`, import.meta.url)

let attempts = 0
// Before the first invocation, while Lambda gives an instance full CPU.
let loaded = await load()

export const handler = async ({ payload, context, isSilent = false }) => {
  if (isSilent) silence()
  // The cause may have been the network, so an instance that stays alive tries again.
  if (loaded.failure) loaded = await load()
  if (loaded.failure) return loaded.failure
  let result
  try {
    result = await loaded.customerHandler(payload, contextOf(context))
  } catch (thrown) {
    return failure(thrown)
  }
  try {
    return { status: "success", result: asJson(result) }
  } catch (thrown) {
    return failure(thrown, "The result is not JSON: ")
  }
}

async function load() {
  attempts += 1
  try {
    // Node.js caches a failed module by its URL.
    if (attempts > 1) moduleUrl.search = `?attempt=${attempts}`
    const module = await import(moduleUrl.href)
    const customerHandler = module.handler ?? module.default?.handler
    if (typeof customerHandler !== "function") throw new Error(`${file} exports no function named handler`)
    return { customerHandler }
  } catch (thrown) {
    return { failure: failure(thrown, "The function failed to initialise: ", true) }
  }
}

function contextOf({ functionName, runId, app, publicKey, traceparent = null, tracestate = null }) {
  const encrypt = createEncrypt(publicKey, () => Math.floor(Date.now() / 1_000))
  return Object.freeze({ functionName, runId, app, traceparent, tracestate, encrypt })
}

/**
 * Converts the result to JSON; undefined becomes null. JSON.stringify alone would turn NaN into null and drop
 * functions.
 */
function asJson(result) {
  const text = JSON.stringify(result, (name, value) => {
    if (typeof value === "number" && !Number.isFinite(value))
      throw new TypeError("it contains NaN or infinity")
    if (typeof value === "function" || typeof value === "symbol")
      throw new TypeError("it contains a function")
    if (!name.isWellFormed() || (typeof value === "string" && !value.isWellFormed())) {
      throw new TypeError("it contains a lone surrogate")
    }
    return value
  })
  return text === undefined ? null : JSON.parse(text)
}

function failure(thrown, prefix = "", initialisation = false) {
  const { message, stack } = describe(thrown)
  return {
    status: "failure",
    error: {
      // When a module does not load, the message is from Node.js and contains paths; what a handler throws is the
      // customer's own text.
      message: wellFormed(prefix + (initialisation ? withoutRoot(message) : message), MAX_MESSAGE_CHARACTERS),
      stack: wellFormed(stack, MAX_STACK_CHARACTERS),
    },
    initialisation,
  }
}

function describe(thrown) {
  try {
    if (typeof thrown === "object" && thrown !== null && "message" in thrown) {
      return { message: String(thrown.message || thrown.name), stack: ownFrames(String(thrown.stack ?? "")) }
    }
    return { message: String(thrown), stack: "" }
  } catch {
    // A getter or toString of the customer threw.
    return { message: "The function threw a value that cannot be shown", stack: "" }
  }
}

/** Removes the frames of this file and of the module loader, which called the customer's code, and those below. */
function ownFrames(stack) {
  const [own] = stack.split(/\n\s+at [^\n]*(?:__sealway__\/runtime\.mjs|node:internal\/modules\/)/, 1)
  return withoutRoot(own)
}

/** Shortens file names to start at the customer's folder, and hides where that is. */
function withoutRoot(text) {
  return text.replaceAll(rootUrl.href, "").replaceAll(fileURLToPath(rootUrl), "")
}

function wellFormed(text, maxCharacters) {
  return text.slice(0, maxCharacters).toWellFormed()
}
