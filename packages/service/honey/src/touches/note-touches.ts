import { createHash } from "node:crypto"
import { createId, ID_RANDOM_BYTES } from "@sealway/kernel"
import type { Table } from "@sealway/ports"
import type { Events } from "@sealway/records"
import type { AuditRecord } from "@sealway/records/audit-chain"
import { findByMark, type HoneyToken, honeyTokenKey } from "../records/honey-token-table.ts"
import { type HoneyTouch, touchRecords } from "../records/honey-touch-table.ts"
import { alertBody, touchEvent } from "./touch-event.ts"

export interface TouchDependencies {
  readonly configTable: Pick<Table, "get">
  readonly eventsTable: Table
  readonly events: Pick<Events, "publish">
}

/** Attempts within one are one touch. */
const WINDOW_MS = 60 * 60_000
const KEPT_SECONDS = 400 * 24 * 60 * 60
const MAX_ATTEMPTS = 10
const MAX_LATEST = 10
const MAX_SEQS = 100
/** The details of a refusal that say in which way a value was to be decrypted. */
const WAYS = ["endpoint", "relay", "direction", "function", "run", "enclave"] as const
/** Those that tell ways apart. A run has a new id each time. */
const WAYS_APART = ["endpoint", "relay", "direction", "function", "enclave"] as const

/**
 * Notes the honey tokens that a refused decryption was about, and raises the event and the alert of each touch: one for
 * each honey token, caller, way and hour. Repeated with the same record, it counts nothing twice and completes the rest.
 */
export async function noteTouches(dependencies: TouchDependencies, record: AuditRecord): Promise<void> {
  const { appId, action, details } = record
  if (appId === null || action !== "decryption.refused" || typeof details.honeyMarks !== "string") return
  const marks = details.honeyMarks.split(" ")
  // One that others touch all the time must not keep the rest from being noted.
  const noted = await Promise.allSettled(marks.map((mark) => noteTouch(dependencies, appId, mark, record)))
  for (const result of noted) if (result.status === "rejected") throw result.reason
}

async function noteTouch(
  dependencies: TouchDependencies,
  appId: string,
  mark: string,
  record: AuditRecord,
): Promise<void> {
  const honeyToken = await findByMark(dependencies.configTable, appId, mark)
  if (honeyToken === null) return
  const touch = await countTouch(dependencies.eventsTable, appId, honeyToken, record)
  if (touch.firstSeq === record.seq) await publish(dependencies, appId, honeyToken, touch, record)
}

async function countTouch(
  table: Table,
  appId: string,
  honeyToken: HoneyToken,
  record: AuditRecord,
): Promise<HoneyTouch> {
  const first = firstTouch(honeyToken, record)
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const known = await touchRecords.find(table, appId, first)
    if (known === null) {
      if (await touchRecords.create(table, appId, first)) return first
      continue
    }
    if (known.firstSeq === record.seq || known.seqs.includes(record.seq)) return known
    const counted = await touchRecords.replace(table, appId, {
      ...known,
      count: known.count + 1,
      firstAt: Math.min(known.firstAt, record.at),
      lastAt: Math.max(known.lastAt, record.at),
      ips: latest(first.ips, known.ips),
      requestIds: latest(first.requestIds, known.requestIds),
      seqs: [record.seq, ...known.seqs].slice(0, MAX_SEQS),
    })
    if (counted !== null) return counted
  }
  // The message comes again.
  throw new Error("A touch could not be counted: others count it all the time")
}

function firstTouch({ id }: HoneyToken, { at, seq, actor, ip, requestId, details }: AuditRecord): HoneyTouch {
  const windowMs = Math.floor(at / WINDOW_MS) * WINDOW_MS
  const way = Object.fromEntries(
    WAYS.flatMap((name) => (typeof details[name] === "string" ? [[name, details[name]] as const] : [])),
  )
  const apart = [id, actor.type, actor.id, ...WAYS_APART.map((name) => way[name] ?? ""), windowMs]
  return {
    id: createId("honey_touch", windowMs, digest(...apart)),
    honeyToken: id,
    actor: { type: actor.type, id: actor.id },
    way,
    count: 1,
    firstAt: at,
    lastAt: at,
    ips: ip === null ? [] : [ip],
    requestIds: requestId === null ? [] : [requestId],
    seqs: [seq],
    firstSeq: seq,
    expiresAt: Math.floor(windowMs / 1000) + KEPT_SECONDS,
    revision: 1,
  }
}

function latest(added: readonly string[], known: readonly string[]): readonly string[] {
  return [...new Set([...added, ...known])].slice(0, MAX_LATEST)
}

async function publish(
  { events }: TouchDependencies,
  appId: string,
  honeyToken: HoneyToken,
  touch: HoneyTouch,
  { teamId, at, ip, requestId }: AuditRecord,
): Promise<void> {
  const data = touchEvent(honeyToken, { ...touch, at, ip, requestId })
  const { id, alertType } = honeyToken
  await events.publish({
    id: createId("webhook_event", at, digest(touch.id)),
    teamId,
    appId,
    type: "honey-token.touched",
    data,
    recipients:
      alertType === null
        ? []
        : [{ id, recordKey: honeyTokenKey(honeyToken), body: alertBody(alertType, data) }],
  })
}

/** The same in all processes, so that a record is created, and an event published, once. */
function digest(...parts: readonly (string | number)[]): Uint8Array {
  return createHash("sha256").update(parts.join("\0")).digest().subarray(0, ID_RANDOM_BYTES)
}
