import { isTimeZone, SOURCES } from "@sealway/policies/analysis"
import type { Script } from "../smt/script.ts"
import { and, equal, FALSE, int, not, or, type Term, TRUE, within } from "../smt/terms.ts"
import { ADDRESSES_END, MAPPED } from "./addresses.ts"
import type { Field, Sym, Value } from "./symbol.ts"
import type { Texts } from "./texts.ts"

/** An optional text that is not there. */
export const ABSENT = -1
/** The numbers of texts that no policy names. There are as many as texts in a request, so that all may differ. */
export const FIRST_OTHER = -2
export const LAST_OTHER = -10
/** The last instant that Cedar's texts can write. */
export const LAST_INSTANT_MS = Date.UTC(9999, 11, 31, 23, 59, 59, 999)

const isLowerCase = (text: string) => text.toLowerCase() === text
const anyText = () => true

/**
 * The texts of a request that may be absent, and which of the texts in policies each may be: hosts and PCRs are in lower
 * case when Cedar sees them.
 */
export const OPTIONAL_TEXTS = {
  apiKey: { admits: anyText },
  function: { admits: anyText },
  relayDestination: { admits: isLowerCase },
  pcr0: { admits: isLowerCase },
  pcr1: { admits: isLowerCase },
  pcr2: { admits: isLowerCase },
  pcr8: { admits: isLowerCase },
} as const

export type OptionalText = keyof typeof OPTIONAL_TEXTS
const PCRS: readonly string[] = ["pcr0", "pcr1", "pcr2", "pcr8"]

/** A clock that policies read, in a time zone. */
export interface ZoneClock {
  readonly zone: string
  readonly minute: Term
  readonly weekday: Term
}

/** The variables that are true or false. */
export const TRUTHS = ["masked", "reason", "enclave"] as const

export type Variable = OptionalText | (typeof TRUTHS)[number] | "app" | "source" | "ip" | "time"

/** What Cedar is asked for: to see values in full, or their masks. */
export type Action = "Decrypt" | "Mask"

/** All requests for plaintext of a role, as variables. One is declared when a policy reads it. */
export interface Request {
  readonly principal: Sym
  action(name: Action): Sym
  readonly resource: Sym
  readonly context: Sym
  /** What `context.clock.getTag(zone)` is; null when there is no such zone. */
  clock(zone: string): Sym | null
  /** The variables that policies read. */
  read(): ReadonlyMap<Variable, Term>
  clocks(): readonly ZoneClock[]
  time(): Term
  /** Whether it takes a mask where full values are refused. */
  masked(): Term
  /** Whether it says why. */
  reason(): Term
  /** The time of the earliest request, in epoch milliseconds. */
  readonly fromMs: number
  /** What holds for every request. Complete when all policies are encoded. */
  facts(): Term
}

const certain = (value: Value): Sym => ({ error: FALSE, value })
const present = (value: Value): Field => ({ isPresent: TRUE, sym: certain(value) })

/** @param fromMs the time of the earliest request, in epoch milliseconds */
export function createRequest(script: Script, texts: Texts, role: string, fromMs: number): Request {
  // Every text that a request may have must be known before facts list them.
  for (const source of SOURCES) texts.codeOf(source)
  const declared = new Map<Variable, Term>()
  const clocks = new Map<string, ZoneClock>()
  const variable = (name: Variable, sort: "Int" | "Bool" = "Int"): Term => {
    const known = declared.get(name) ?? script.variable(name, sort)
    declared.set(name, known)
    return known
  }
  const constant = (type: string, id: string): Sym =>
    certain({ kind: "entity", type, code: int(texts.codeOf(id)) })

  const optionalText = (name: OptionalText): Field => {
    const code = variable(name)
    const value: Value = name === "apiKey" ? { kind: "entity", type: "ApiKey", code } : { kind: "text", code }
    return { isPresent: not(equal(code, int(ABSENT))), sym: certain(value) }
  }
  const address = (): Field => {
    const ip = variable("ip")
    const value: Value = { kind: "ip", address: ip, prefix: null, first: ip, last: ip }
    return { isPresent: not(equal(ip, int(ABSENT))), sym: certain(value) }
  }
  const enclave: Value = {
    kind: "record",
    field: (name) => (PCRS.includes(name) && isOptionalText(name) ? optionalText(name) : undefined),
  }
  const fields: Readonly<Record<string, () => Field>> = {
    source: () => present({ kind: "text", code: variable("source") }),
    time: () => present({ kind: "datetime", number: variable("time") }),
    clock: () => present({ kind: "entity", type: "Clock", code: int(texts.codeOf("now")) }),
    ip: address,
    apiKey: () => optionalText("apiKey"),
    function: () => optionalText("function"),
    relayDestination: () => optionalText("relayDestination"),
    enclave: () => ({ isPresent: variable("enclave", "Bool"), sym: certain(enclave) }),
  }

  const isText = (code: Term, admits: (text: string) => boolean): Term => {
    const known = [...texts.all()].filter(([text]) => admits(text)).map(([, each]) => equal(code, int(each)))
    return or(within(code, LAST_OTHER, FIRST_OTHER), ...known)
  }
  const factOf = (name: Variable, term: Term): Term => {
    switch (name) {
      case "source":
        return or(...SOURCES.map((source) => equal(term, int(texts.codeOf(source)))))
      case "time":
        return within(term, fromMs, LAST_INSTANT_MS)
      case "ip": {
        const mapped = MAPPED === null ? FALSE : within(term, MAPPED.first, MAPPED.last)
        return and(within(term, ABSENT, ADDRESSES_END - 1n), not(mapped))
      }
      case "masked":
      case "reason":
      case "enclave":
        return TRUE
      case "app":
        return isText(term, anyText)
      default: {
        const value = or(equal(term, int(ABSENT)), isText(term, OPTIONAL_TEXTS[name].admits))
        return PCRS.includes(name)
          ? and(value, or(variable("enclave", "Bool"), equal(term, int(ABSENT))))
          : value
      }
    }
  }

  return {
    get principal() {
      return certain({ kind: "entity", type: "App", code: variable("app") })
    },
    action: (name) => constant("Action", name),
    resource: constant("DataRole", role),
    context: certain({
      kind: "record",
      field: (name) => (Object.hasOwn(fields, name) ? fields[name]?.() : undefined),
    }),
    clock(zone) {
      if (!isTimeZone(zone)) return null
      let clock = clocks.get(zone)
      if (clock === undefined) {
        const minute = script.variable(`minute${clocks.size}`, "Int")
        clock = { zone, minute, weekday: script.variable(`weekday${clocks.size}`, "Int") }
        clocks.set(zone, clock)
      }
      const { minute, weekday } = clock
      const readings = new Map([
        ["minuteOfDay", present({ kind: "long", number: minute })],
        ["weekday", present({ kind: "long", number: weekday })],
      ])
      return certain({ kind: "record", field: (name) => readings.get(name) })
    },
    read: () => declared,
    clocks: () => [...clocks.values()],
    time: () => variable("time"),
    masked: () => variable("masked", "Bool"),
    reason: () => variable("reason", "Bool"),
    fromMs,
    facts: () =>
      and(
        ...[...declared].map(([name, term]) => factOf(name, term)),
        ...[...clocks.values()].flatMap(({ minute, weekday }) => [
          within(minute, 0, 1_439),
          within(weekday, 1, 7),
        ]),
      ),
  }
}

function isOptionalText(name: string): name is OptionalText {
  return Object.hasOwn(OPTIONAL_TEXTS, name)
}
