import { createHmac, createSecretKey } from "node:crypto"
import type { Keyring } from "@sealway/keys"
import { createDerivedDraws, type Draws, type QueueSender, type Table } from "@sealway/ports"
import type { AuditHistory, AuditLog, Events } from "@sealway/records"
import { type BeforeImagesDependencies, openBeforeImages } from "./before-images.ts"
import { type Attempt, createOnceAudit } from "./once-audit.ts"
import { createOnceTable } from "./once-table.ts"

/** What endpoints change things through. */
export interface Effects {
  readonly events: Pick<Events, "publish">
  readonly configTable: Table
  readonly keysTable: Table
  readonly eventsTable: Table
  /** Null in processes that do not use it. */
  readonly runsTable: Table | null
  /** Null in processes that do not use it. */
  readonly paymentsTable: Table | null
  readonly audit: AuditLog
  readonly auditHistory: AuditHistory
  readonly queues: QueueSender
  readonly keyring: Keyring
}

/** What an endpoint receives instead of the dependencies with the same names. */
export interface OnceEffects extends Omit<Effects, "auditHistory" | "events"> {
  readonly draws: Draws
  /** Frozen at the start of the first attempt, so that a repetition writes and returns the same times. */
  readonly wallClock: () => number
}

/** A request with an `Idempotency-Key`, in one of its attempts. */
export interface OnceRequest {
  readonly effects: OnceEffects
  /** Whether this is a repetition, and an earlier attempt began a change that did not fail. */
  mayHaveTakenEffect(teamId: string): Promise<boolean>
}

export interface OnceRequestInput {
  /** 32 bytes that only the sender and the service together can compute. */
  readonly seed: Uint8Array
  /** All attempts, this one last. */
  readonly attempts: readonly [Attempt, ...Attempt[]]
  /** The longest time an attempt may take. */
  readonly attemptMs: number
  readonly journal: BeforeImagesDependencies
  /** Whether records are kept as they were before the request, see `RepetitionRules.keepsNoRecords`. */
  readonly keepsRecords: boolean
}

const STAMP_CHARACTERS = 16

/** Opens what a request needs to be done once, however often it is repeated. */
export async function openOnceRequest(
  effects: Effects,
  { seed, attempts, attemptMs, journal, keepsRecords }: OnceRequestInput,
): Promise<OnceRequest> {
  const earlier = attempts.slice(0, -1)
  const isRepeat = earlier.length > 0
  const draws = createDerivedDraws(seed)
  const beforeImages = await openBeforeImages(journal, isRepeat)
  const stamp = macOf(seed, "stamp").toString("base64url").slice(0, STAMP_CHARACTERS)
  const onceTable = (name: string, table: Table) =>
    keepsRecords ? createOnceTable(name, table, { draws, stamp, beforeImages, isRepeat }) : table
  const keysTable = onceTable("keys", effects.keysTable)
  const audit = createOnceAudit({
    audit: effects.audit,
    auditHistory: effects.auditHistory,
    events: effects.events,
    createEventDraws: ({ seq }) => createDerivedDraws(macOf(seed, `audit-event/${seq}`)),
    earlier,
    attemptMs,
  })
  return {
    effects: {
      configTable: onceTable("config", effects.configTable),
      keysTable,
      eventsTable: onceTable("events", effects.eventsTable),
      runsTable: effects.runsTable && onceTable("runs", effects.runsTable),
      paymentsTable: effects.paymentsTable && onceTable("payments", effects.paymentsTable),
      audit,
      queues: {
        async send(...message) {
          // The worker that receives the message may change the same records.
          await beforeImages.pass()
          await effects.queues.send(...message)
        },
      },
      keyring: {
        ...effects.keyring,
        addVersion: (app) => effects.keyring.addVersion(app, keysTable),
        ensureCustody: (app) => effects.keyring.ensureCustody(app, keysTable),
      },
      draws,
      wallClock: () => attempts[0].at,
    },
    mayHaveTakenEffect: async (teamId) => isRepeat && audit.hasOpenRecord(teamId),
  }
}

function macOf(seed: Uint8Array, label: string): Buffer {
  return createHmac("sha256", createSecretKey(seed)).update(`sealway/v1/once/${label}`).digest()
}
