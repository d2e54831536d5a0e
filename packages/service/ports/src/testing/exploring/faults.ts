import { UnavailableError } from "../../ports/errors.ts"
import type { TableCall } from "../memory-table.ts"
import type { Fault } from "./history.ts"
import type { Call } from "./scheduler.ts"

/** What may happen to a call that changes something in the cloud. */
export const WRITE: readonly Fault[] = ["dies", "throttled", "lost"]
/** The same of a call that the client of AWS makes again without noticing that it was made. */
export const REPEATED_WRITE: readonly Fault[] = [...WRITE, "retried"]
/** What may happen to a call of someone else's system, whose answers tests choose. */
export const ASKING: readonly Fault[] = ["dies"]

const READS: readonly string[] = ["get", "list", "page"]
/** The others recognise their own write. */
const REPEATED: readonly string[] = ["remove", "add", "tally"]

/** Describes a call of a table, with what may happen to it. */
export function tableCall(table: string, { name, pk, sk, isPrefix }: TableCall): Call {
  const isWrite = !READS.includes(name)
  return {
    text: `${table}.${name} ${pk} ${sk}`,
    access: { space: table, name: `${pk}\n${sk}`, isPrefix, isWrite },
    faults: isWrite ? (REPEATED.includes(name) ? REPEATED_WRITE : WRITE) : [],
  }
}

/** What a port throws when it is throttled, or gets no answer. */
export function unavailable(): Error {
  return new UnavailableError("Throttled")
}
