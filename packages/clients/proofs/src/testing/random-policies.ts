import { type Conditions, type NamedRule, type Question, SOURCES } from "@sealway/policies/analysis"
import { createDice, type Dice } from "./dice.ts"

/**
 * Random policies and requests for the same few names, addresses and times, so that they meet: by conditions, and in
 * Cedar by the types of its schema, with what the validator would refuse too, such as optional fields that are read
 * without `has`. A few are beyond the encoding.
 */
/** One is called as a source is. */
const FUNCTIONS = ["charge", "refund", 'a"b', "api"] as const
const HOSTS = ["api.stripe.com", "localhost:8443", "API.example.com"] as const
const KEYS = ["key_0123456789ab", "key_zzzzzzzzzzzz"] as const
const APPS = ["app_1", "app_2"] as const
const PCRS = ["ab".repeat(48), "CD".repeat(48), "00".repeat(48)] as const
const RANGES = [
  "10.0.0.0/8",
  "10.1.2.3",
  "0.0.0.0/0",
  "192.168.1.128/25",
  "127.0.0.0/8",
  "::/0",
  "2001:db8::/32",
  "::1",
] as const
/** Ranges that only Cedar's text can write: with bits beyond the prefix, and IPv4-mapped. */
const ODD_RANGES = ["10.1.2.3/8", "2001:db8::7/32", "::ffff:0:0/96", "::ffff:a01:203"] as const
const IPS = [
  "10.1.2.3",
  "10.1.2.4",
  "192.168.1.127",
  "192.168.1.128",
  "127.0.0.1",
  "224.0.0.1",
  "::1",
  "2001:db8::7",
  "2001:db9::",
  "ff02::1",
  "::ffff:10.1.2.3",
  "0.0.0.0",
  "255.255.255.255",
  "::",
  "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
] as const
const ZONES = [
  "UTC",
  "Europe/Dublin",
  "America/New_York",
  "Asia/Kolkata",
  "Pacific/Kiritimati",
  // Half an hour for summer, and a change at midnight.
  "Australia/Lord_Howe",
  "Africa/Cairo",
] as const
const TIMES = [
  "2026-11-27T12:00:00.000Z",
  "2027-03-28T01:00:00.000Z",
  "2027-10-31T01:00:00.000Z",
  "2027-01-01T00:00:00.000Z",
  // New York, Lord Howe twice, Cairo.
  "2027-03-14T07:00:00.000Z",
  "2027-04-03T15:00:00.000Z",
  "2027-10-02T15:30:00.000Z",
  "2027-04-29T22:00:00.000Z",
] as const
const DATETIMES = [...TIMES, "2027-01-01", "2027-01-01T00:00:00+0130", "1969-12-31"] as const
const DURATIONS = ["1h", "-1d2h", "90m", "0ms", "106751991167d", "1d1h1m1s1ms"] as const
const LONGS = ["0", "1", "5", "7", "540", "1439", "9223372036854775807", "9007199254740993"] as const
export const FROM_MS = Date.UTC(2026, 10, 27)

export function randomRules(seed: number): NamedRule[] {
  const dice = createDice(seed)
  return dice.times(1 + dice.below(3), () => 0).map((_, index) => randomRule(dice, `policy_${index}`))
}

function randomRule(dice: Dice, id: string): NamedRule {
  const effect = dice.onceIn(3) ? "forbid" : "permit"
  const rule = { id, name: id, effect } as const
  const requiresReason = effect === "permit" && dice.onceIn(4)
  if (dice.onceIn(3)) {
    const reveal = dice.pick([undefined, "full", "masked"] as const)
    return { ...rule, reveal, requiresReason, conditions: randomConditions(dice), cedar: null }
  }
  const clauses = dice.times(dice.below(3), () => `${dice.pick(["when", "unless"])} { ${bool(dice, 4)} }`)
  return {
    ...rule,
    requiresReason,
    conditions: null,
    cedar: `${effect}(${scope(dice)}) ${clauses.join(" ")};`,
  }
}

/** A policy in Cedar that says which requests are meant. */
export function randomCedar(dice: Dice): string {
  return `permit(${scope(dice)}) when { ${bool(dice, 3)} };`
}

export function randomConditions(dice: Dice): Conditions {
  const some = <Item>(items: readonly [Item, ...Item[]]) => [
    ...new Set(dice.times(1 + dice.below(2), () => dice.pick(items))),
  ]
  const minute = () =>
    `${String(dice.below(24)).padStart(2, "0")}:${String(dice.pick([0, 30, 59])).padStart(2, "0")}`
  const daily = () => {
    const [from, to] = [minute(), minute()]
    return from === to ? {} : { daily: { from, to, timezone: dice.pick(ZONES) } }
  }
  const time = {
    ...(dice.onceIn(3) && { notBefore: dice.pick(TIMES) }),
    ...(dice.onceIn(3) && { notAfter: dice.pick(TIMES) }),
    ...(dice.onceIn(2) && daily()),
  }
  return {
    ...(dice.onceIn(3) && { sources: some(SOURCES) }),
    ...(dice.onceIn(5) && { relayDestinations: some(HOSTS) }),
    ...(dice.onceIn(5) && { functions: some(FUNCTIONS) }),
    ...(dice.onceIn(3) && { ipRanges: some(RANGES) }),
    ...(dice.onceIn(3) && Object.keys(time).length > 0 && { time }),
    ...(dice.onceIn(5) && { enclavePcrs: { [dice.pick(["pcr0", "pcr8"])]: dice.pick(PCRS) } }),
    ...(dice.onceIn(5) && { apiKeys: some(KEYS) }),
  }
}

export function randomQuestion(seed: number): Question {
  const dice = createDice(seed)
  const maybe = <Item>(items: readonly [Item, ...Item[]]): Item | undefined =>
    dice.onceIn(2) ? dice.pick(items) : undefined
  const near = Date.parse(dice.pick(TIMES)) + dice.pick([-1, 0, 1, 3_599_999, 3_600_000, -60_000])
  return {
    appId: dice.pick([...APPS, "app_3"]),
    role: "pci",
    context: {
      source: dice.pick(SOURCES),
      ip: maybe(IPS) ?? maybe(IPS) ?? null,
      apiKeyId: maybe([...KEYS, "key_another00000"]) ?? null,
      functionName: maybe([...FUNCTIONS, "another"]),
      relayDestination: maybe([...HOSTS, "another.example"]),
      enclavePcrs: dice.onceIn(3)
        ? { pcr0: maybe(PCRS), pcr8: maybe([...PCRS, "ef".repeat(48)]) }
        : undefined,
      hasReason: dice.onceIn(2),
    },
    action: dice.pick(["Decrypt", "Mask"]),
    timeMs: Math.max(FROM_MS, dice.onceIn(2) ? near : FROM_MS + dice.below(366 * 24 * 60) * 60_000),
  }
}

function scope(dice: Dice): string {
  const principal = dice.pick(["principal", "principal", `principal == App::"app_1"`, "principal is App"])
  const action = dice.pick([
    "action",
    `action == Action::"Mask"`,
    `action in [Action::"Mask", Action::"Decrypt"]`,
    `action == Action::"Decrypt"`,
    `action in [Action::"Decrypt"]`,
    `action in [Action::"Decrypt", Action::"Another"]`,
    ...(dice.onceIn(4) ? [`action == Action::"Another"`] : []),
  ])
  const resource = dice.pick([
    "resource",
    "resource",
    `resource == DataRole::"pci"`,
    `resource in DataRole::"pii"`,
  ])
  return `${principal}, ${action}, ${resource}`
}

const text = (value: string) => JSON.stringify(value)
const some = (dice: Dice, make: () => string) => `[${dice.times(dice.below(4), make).join(", ")}]`

function bool(dice: Dice, depth: number): string {
  if (depth === 0) return dice.pick(["true", "false", "(context has ip)", `(context.source == "api")`])
  const next = () => bool(dice, depth - 1)
  const compare = dice.pick(["<", "<=", ">", ">=", "==", "!="])
  const makers: readonly [() => string, ...(() => string)[]] = [
    () => `(action == Action::${text(dice.pick(["Decrypt", "Mask"]))})`,
    () => `(${next()} && ${next()})`,
    () => `(${next()} || ${next()})`,
    () => `!(${next()})`,
    () => `(if ${next()} then ${next()} else ${next()})`,
    () => `(context has ${dice.pick(FIELDS)} && ${next()})`,
    () => `(context has ${dice.pick([...FIELDS, "time", "nothing"])})`,
    () => `(${long(dice, depth - 1)} ${compare} ${long(dice, depth - 1)})`,
    () => `(${long(dice, 0)} ${compare} ${long(dice, depth - 1)})`,
    () => `(${string(dice)} ${dice.pick(["==", "!="])} ${string(dice)})`,
    () => `${some(dice, () => string(dice))}.contains(${string(dice)})`,
    () =>
      `${some(dice, () => string(dice))}.${dice.pick(["containsAll", "containsAny"])}(${some(dice, () => string(dice))})`,
    () => `${some(dice, () => long(dice, 0))}.isEmpty()`,
    () => `(${some(dice, () => string(dice))} == ${some(dice, () => string(dice))})`,
    () => `${ip(dice)}.isInRange(${ip(dice)})`,
    () => `${ip(dice)}.${dice.pick(["isIpv4", "isIpv6", "isLoopback", "isMulticast"])}()`,
    () => `(${ip(dice)} == ${ip(dice)})`,
    () => `(${datetime(dice, depth - 1)} ${compare} ${datetime(dice, depth - 1)})`,
    () => `(${duration(dice, depth - 1)} ${compare} ${duration(dice, depth - 1)})`,
    () => `context.clock.hasTag(${zone(dice)})`,
    () => `(context has apiKey && ${entity(dice)} ${dice.pick(["==", "!=", "in"])} ${entity(dice)})`,
    () => `(${entity(dice)} in [${entity(dice)}, ${entity(dice)}])`,
    () => `(${entity(dice)} is ${dice.pick(["App", "ApiKey", "DataRole"])})`,
    () => `(context has enclave && context.enclave has ${dice.pick(["pcr0", "pcr8"])} && ${next()})`,
    () =>
      dice.pick([
        `(context.source like "*a*")`,
        `(${string(dice)} like ${text(dice.pick(["*.com", "api.*", "*", "*ar*e", "x*y", "api", "*p*p*"]))})`,
        `decimal("1.5").lessThan(decimal("2.0"))`,
        `(context == {})`,
      ]),
    () => `(${next()} ${dice.pick(["==", "!="])} ${next()})`,
  ]
  return dice.pick(makers)()
}

const FIELDS = ["ip", "apiKey", "function", "relayDestination", "enclave"] as const

function string(dice: Dice): string {
  return dice.pick([
    "context.source",
    text(dice.pick(SOURCES)),
    "context.function",
    text(dice.pick(FUNCTIONS)),
    "context.relayDestination",
    text(dice.pick(HOSTS)),
    `context.enclave.${dice.pick(["pcr0", "pcr8"])}`,
    text(dice.pick(PCRS).toLowerCase()),
    `(if context has ip then context.source else "api")`,
  ])
}

function entity(dice: Dice): string {
  return dice.pick([
    "principal",
    `App::${text(dice.pick(APPS))}`,
    "context.apiKey",
    `ApiKey::${text(dice.pick(KEYS))}`,
    "resource",
    `DataRole::"pci"`,
  ])
}

function zone(dice: Dice): string {
  const name = text(dice.onceIn(12) ? "Nowhere/At_All" : dice.pick(ZONES))
  return dice.onceIn(12) ? `if true then ${name} else "x"` : name
}

function ip(dice: Dice): string {
  return dice.pick(["context.ip", "context.ip", `ip(${text(dice.pick([...RANGES, ...ODD_RANGES]))})`])
}

function long(dice: Dice, depth: number): string {
  const tag = `context.clock.getTag(${zone(dice)})`
  if (depth <= 0) return dice.pick([dice.pick(LONGS), `${tag}.minuteOfDay`, `${tag}.weekday`])
  return dice.pick([
    () => long(dice, 0),
    () => `(${long(dice, depth - 1)} ${dice.pick(["+", "-", "*"])} ${long(dice, depth - 1)})`,
    () => `-(${long(dice, depth - 1)})`,
    () =>
      `${duration(dice, depth - 1)}.${dice.pick(["toMilliseconds", "toSeconds", "toMinutes", "toHours", "toDays"])}()`,
    () => `(if ${bool(dice, depth - 1)} then ${long(dice, depth - 1)} else ${long(dice, depth - 1)})`,
  ])()
}

function datetime(dice: Dice, depth: number): string {
  if (depth <= 0) return dice.pick(["context.time", `datetime(${text(dice.pick(DATETIMES))})`])
  return dice.pick([
    () => datetime(dice, 0),
    () => `${datetime(dice, depth - 1)}.offset(${duration(dice, depth - 1)})`,
    () => `${datetime(dice, depth - 1)}.toDate()`,
  ])()
}

function duration(dice: Dice, depth: number): string {
  if (depth <= 0) return `duration(${text(dice.pick(DURATIONS))})`
  return dice.pick([
    () => duration(dice, 0),
    () => `${datetime(dice, depth - 1)}.durationSince(${datetime(dice, depth - 1)})`,
    () => `${datetime(dice, depth - 1)}.toTime()`,
  ])()
}
