import { type ContextInput, type Question, SOURCES } from "@sealway/policies/analysis"
import { IPV6_START } from "./addresses.ts"
import { ABSENT, FIRST_OTHER, type OPTIONAL_TEXTS, type Variable } from "./request.ts"
import type { Texts } from "./texts.ts"

/** The values that a solver chose for the variables of a request. */
export type Model = ReadonlyMap<Variable, bigint | boolean>

/** An address of TEST-NET-3 (RFC 5737), for requests whose address does not matter. */
const ANY_IP = "203.0.113.7"

/** Builds the request that a solver's model describes. Variables that no policy reads get ordinary values. */
export function questionOf(model: Model, texts: Texts, role: string, nowMs: number): Question {
  const codeOf = (name: Variable): bigint => {
    const value = model.get(name)
    return typeof value === "bigint" ? value : BigInt(ABSENT)
  }
  const optional = (name: keyof typeof OPTIONAL_TEXTS): string | undefined => {
    const code = codeOf(name)
    if (code === BigInt(ABSENT)) return undefined
    return texts.textOf(code) ?? unnamed(name, BigInt(FIRST_OTHER) - code)
  }
  const source = SOURCES.find((each) => BigInt(texts.codeOf(each)) === codeOf("source")) ?? "api"
  const pcrs = {
    pcr0: optional("pcr0"),
    pcr1: optional("pcr1"),
    pcr2: optional("pcr2"),
    pcr8: optional("pcr8"),
  }
  const hasEnclave = model.get("enclave") === true
  const functionName = optional("function")
  const relayDestination = optional("relayDestination")
  const app = model.has("app") ? codeOf("app") : BigInt(FIRST_OTHER)
  const time = model.get("time")
  return {
    appId: app >= 0n ? (texts.textOf(app) ?? "") : unnamed("app", BigInt(FIRST_OTHER) - app),
    role,
    context: {
      source,
      ip: model.has("ip") ? addressOf(codeOf("ip")) : ANY_IP,
      apiKeyId: optional("apiKey") ?? null,
      ...(functionName !== undefined && { functionName }),
      ...(relayDestination !== undefined && { relayDestination }),
      ...(hasEnclave && { enclavePcrs: pcrs }),
      ...(model.has("reason") && { hasReason: model.get("reason") === true }),
    },
    action: model.get("masked") === true ? "Mask" : "Decrypt",
    timeMs: typeof time === "bigint" ? Number(time) : nowMs,
  }
}

/** A text that no policy names, in the form that its kind has. The chance that one does is checked with Cedar. */
function unnamed(name: string, index: bigint): string {
  if (name === "apiKey") return `key_${"other".padEnd(11, "0")}${index}`
  if (name === "relayDestination") return `other${index}.example`
  if (name.startsWith("pcr")) return index.toString(16).padStart(96, "d")
  return name === "app" ? `app_other${index}` : `another-function-${index}`
}

function addressOf(number: bigint): string | null {
  return number < 0n ? null : addressText(number)
}

/** Spells the number of an address. */
export function addressText(number: bigint): string {
  if (number < IPV6_START) return octets(number).join(".")
  const hex = (number - IPV6_START).toString(16).padStart(32, "0")
  const groups = (hex.match(/.{4}/g) ?? []).map((group) => group.replace(/^0{1,3}/, ""))
  return shortened(groups.join(":"))
}

/** Leaves out the longest run of zeros (RFC 5952). */
function shortened(address: string): string {
  const runs = address.match(/\b0(?::0)+\b/g) ?? []
  const longest = runs.toSorted((left, right) => right.length - left.length)[0]
  return longest === undefined ? address : address.replace(longest, "").replace(/^:?:?$|^:|:$|::+/, "::")
}

function octets(number: bigint): bigint[] {
  return [24n, 16n, 8n, 0n].map((shift) => (number >> shift) & 255n)
}

/** A request in the form that `explain` takes, without what no policy reads. */
export interface DescribedRequest {
  readonly context: ContextInput
  /** The app, if a policy reads it. */
  readonly app?: string
}

export function describeQuestion(
  { appId, context, timeMs }: Question,
  read: ReadonlySet<Variable>,
): DescribedRequest {
  const { source, ip, apiKeyId, functionName, relayDestination, enclavePcrs, hasReason } = context
  return {
    context: {
      source,
      ...(read.has("ip") && ip !== null && { ip }),
      ...(apiKeyId !== null && { apiKey: apiKeyId }),
      ...(functionName !== undefined && { function: functionName }),
      ...(relayDestination !== undefined && { relayDestination }),
      ...(enclavePcrs !== undefined && { enclavePcrs }),
      ...(hasReason === true && { hasReason }),
      ...(read.has("time") && { time: new Date(timeMs).toISOString() }),
    },
    ...(read.has("app") && { app: appId }),
  }
}
