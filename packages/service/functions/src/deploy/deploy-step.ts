import { setTimeout as delay } from "node:timers/promises"
import { InvalidRequestError } from "@sealway/kernel"
import { RefusedProgramError } from "@sealway/ports"
import type { FunctionDependencies } from "../dependencies.ts"
import { activated, created, failed } from "../records/function.ts"
import { type FunctionRecord, functionRecords } from "../records/function-table.ts"
import { RUNTIME_HANDLER } from "../runtimes/runtime-files.ts"
import { readSourceZip, writeDeploymentZip } from "./source-zip.ts"

/** How often a deployment may fail for a temporary reason. */
const MAX_SETBACKS = 5
const SETBACK_WAIT_MS = 5_000
/** The longest time until a new program can be called. */
const MAX_PENDING_MS = 10 * 60_000
/** How often a worker checks whether a program can be called, before it leaves that to another message. */
const LOOKS = 10
const LOOK_INTERVAL_MS = 500
const LATER_MS = 5_000

/** What follows a step: nothing for this message, the next step, or more after a wait. */
export type AfterStep = "next" | { readonly waitMs: number } | "done"

/** Takes a deployment one step further: creates its program, or checks whether it can be called. */
export async function deployStep(
  record: FunctionRecord,
  dependencies: FunctionDependencies,
): Promise<AfterStep> {
  const { configTable, wallClock, log } = dependencies
  try {
    const next = await (record.isCreated ? waitUntilActive : createProgram)(record, dependencies)
    if (next === null) return { waitMs: LATER_MS }
    await functionRecords.replace(configTable, next.appId, next)
    return "next"
  } catch (error) {
    log.warn("a deployment failed with a fault of the service", { requestId: record.id, error })
    const setbacks = record.setbacks + 1
    if (setbacks < MAX_SETBACKS) {
      const isWritten = await functionRecords.replace(configTable, record.appId, { ...record, setbacks })
      return isWritten ? { waitMs: SETBACK_WAIT_MS * 2 ** record.setbacks } : "next"
    }
    const reason = "The deployment failed several times because of a fault in the service. Deploy it again."
    await functionRecords.replace(configTable, record.appId, failed(record, reason, wallClock()))
    return "next"
  }
}

async function createProgram(
  record: FunctionRecord,
  { code, host, wallClock }: FunctionDependencies,
): Promise<FunctionRecord> {
  const { programName, codeKey, language, handler, timeoutSeconds, memoryMb } = record.latest
  const source = await code.get(codeKey)
  if (source === null) return failed(record, "The code is no longer stored. Deploy it again.", wallClock())
  try {
    const zip = await writeDeploymentZip(await readSourceZip(source), language, handler)
    await host.create({
      name: programName,
      language,
      zip,
      handler: RUNTIME_HANDLER,
      timeoutSeconds,
      memoryMb,
    })
    return created(record, wallClock())
  } catch (error) {
    if (error instanceof RefusedProgramError) {
      return failed(record, `The host refused the function: ${error.reason}.`, wallClock())
    }
    if (error instanceof InvalidRequestError) return failed(record, error.message, wallClock())
    throw error
  }
}

/** Returns null when it cannot be called yet. */
async function waitUntilActive(
  record: FunctionRecord,
  { host, wallClock, sleep = delay }: FunctionDependencies,
): Promise<FunctionRecord | null> {
  const { programName, createdAt } = record.latest
  for (let look = 0; look < LOOKS; look++) {
    if (look > 0) await sleep(LOOK_INTERVAL_MS)
    const state = await host.stateOf(programName)
    if (state === "active") return activated(record, wallClock())
    if (state === "absent") return { ...record, isCreated: false }
    if (state !== "pending") {
      return failed(record, `The host cannot run the function: ${state.failed}.`, wallClock())
    }
    if (wallClock() - createdAt > MAX_PENDING_MS) {
      return failed(record, "The function was not ready within 10 minutes.", wallClock())
    }
  }
  return null
}
