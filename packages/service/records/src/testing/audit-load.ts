import { setImmediate as turn } from "node:timers/promises"
import type { Item, Table } from "@sealway/ports"
import { withVirtualTime } from "@sealway/ports/testing"
import type { AuditRecord } from "../audit/audit-chain.ts"
import { createAuditLog, SYSTEM } from "../audit/audit-log.ts"
import { createAuditTable } from "../audit/audit-table.ts"

/** What a call of DynamoDB takes. */
const MIN_CALL_MS = 3
export const MAX_CALL_MS = 7
/** How much less it takes an environment that floods the log: it is the fastest. */
const FLOOD_PACE = 0.45
const START_MS = 1_700_000_000_000
const TEAM = "team_1"

export interface AuditLoad {
  /** Environments of functions: each handles one request at a time. */
  readonly writers: number
  /** Records that are to be written in a second, by all together. Infinity: each writes one after the other. */
  readonly perSecond: number
  /** How many each writes. */
  readonly each: number
  /**
   * How many records one more environment writes at a time, without pause, until the others have written theirs. Only the
   * chain has them. Default: there is none.
   */
  readonly flood?: number
  /** How many times as long calls of the table take the writers, but for the flooding one. Default: 1. */
  readonly pace?: number
  /** From 0 to 1, without 1. */
  readonly random: () => number
}

export interface AuditLoadResult {
  /** The team's log, oldest first. */
  readonly log: readonly AuditRecord[]
  /** How many records were answered with an error. */
  readonly refused: number
  readonly recordsPerSecond: number
  readonly callsPerRecord: number
  /** How long each took, in ascending order. */
  readonly tookMs: readonly number[]
}

/** Writes to one team's audit log from many environments, over a table whose calls take as long as those of DynamoDB. */
export async function writeAuditLoad(load: AuditLoad): Promise<AuditLoadResult> {
  const { writers, perSecond, each, flood = 0, pace = 1, random } = load
  const clock = { ms: START_MS }
  const sleepers: { readonly untilMs: number; readonly wake: () => void }[] = []
  const sleep = (ms: number) =>
    new Promise<void>((wake) => void sleepers.push({ untilMs: clock.ms + ms, wake }))
  let calls = 0
  const callMs = () => MIN_CALL_MS + random() * (MAX_CALL_MS - MIN_CALL_MS)
  const table = createTable(() => {
    calls++
    return sleep(callMs() * pace)
  })
  const fastTable = createTable(() => sleep(callMs() * FLOOD_PACE), table.items)
  let refused = 0
  const tookMs: number[] = []
  const logOver = (own: typeof table) =>
    createAuditLog({
      table: createAuditTable(own),
      events: { publish: async () => undefined, forget() {} },
      wallClock: () => Math.floor(clock.ms),
      random,
    })
  const entryOf = (id: string) => ({
    ...SYSTEM,
    teamId: TEAM,
    appId: null,
    action: "decryption.refused",
    target: { type: "app", id },
  })

  async function write(writer: number): Promise<void> {
    const audit = logOver(table)
    const everyMs = (1_000 * writers) / perSecond
    const firstMs = random() * everyMs
    for (let index = 0; index < each; index++) {
      await sleep(Math.max(0, START_MS + firstMs + index * everyMs - clock.ms))
      const startMs = clock.ms
      await audit.record(entryOf(`${writer}/${index}`)).catch(() => refused++)
      tookMs.push(clock.ms - startMs)
    }
  }

  return withVirtualTime(sleep, async () => {
    let writing = writers
    const all = Array.from({ length: writers }, (_, writer) => write(writer).finally(() => writing--))
    const flooded = logOver(fastTable)
    let flooding = flood
    const flooders = Array.from({ length: flood }, async (_, index) => {
      while (writing > 0) await flooded.record(entryOf(`flood/${index}`)).catch(() => undefined)
      flooding--
    })
    while (writing + flooding > 0) {
      await turn()
      if (sleepers.length === 0) continue
      const next = sleepers.reduce((first, one) => (one.untilMs < first.untilMs ? one : first))
      sleepers.splice(sleepers.indexOf(next), 1)
      clock.ms = Math.max(clock.ms, next.untilMs)
      next.wake()
    }
    await Promise.all([...all, ...flooders])
    const written = writers * each - refused
    const seconds = (clock.ms - START_MS) / 1_000
    const result = {
      refused,
      recordsPerSecond: written / seconds,
      callsPerRecord: calls / written,
      tookMs: tookMs.toSorted((left, right) => left - right),
    }
    const reader = createAuditTable(createTable(async () => {}, table.items))
    const audit = createAuditLog({
      table: reader,
      events: { publish: async () => undefined, forget() {} },
      wallClock: () => 0,
    })
    return { ...result, log: (await Array.fromAsync(audit.read(TEAM, null))).toReversed() }
  })
}

/** A table that finds its newest items quickly however many there are. */
function createTable(
  take: () => Promise<void>,
  items = new Map<string, Map<string, Item>>(),
): Pick<Table, "page" | "create"> & { readonly items: Map<string, Map<string, Item>> } {
  return {
    items,
    async page(pk, prefix, { limit, after = "\uffff" }) {
      await take()
      const partition = items.get(pk) ?? new Map<string, Item>()
      const found = [...partition.keys()]
        .filter((sk) => sk.startsWith(prefix) && sk < after)
        .sort()
        .toReversed()
      return {
        items: found.slice(0, limit).map((sk) => ({ ...partition.get(sk), pk, sk })),
        hasMore: found.length > limit,
      }
    },
    async create({ pk, sk }, item) {
      await take()
      const partition = items.get(pk) ?? new Map<string, Item>()
      items.set(pk, partition)
      if (partition.has(sk)) return false
      partition.set(sk, item)
      return true
    },
  }
}
