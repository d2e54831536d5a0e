import type { FunctionServices } from "@sealway/functions"
import { type Reach, WRITE } from "@sealway/ports/testing"

/** What customers' functions have become, and what they were called with. */
export interface Programs {
  readonly names: Map<string, true>
  readonly zips: Map<string, Uint8Array>
  /** By run, how often it was called. */
  readonly calls: Map<string, number>
}

export const createPrograms = (): Programs => ({ names: new Map(), zips: new Map(), calls: new Map() })

/** Hosts functions in memory. Each call of one answers how often its run was called. */
export function createMemoryHosting(
  { names, zips, calls }: Programs,
  reach: Reach,
): Omit<FunctionServices, "dataRoles"> {
  const on = (name: string, isWrite: boolean) => ({ space: "functions", name, isPrefix: false, isWrite })
  const reading = <Result>(text: string, name: string, act: () => Result) =>
    reach({ text: `lambda.${text} ${name}`, access: on(name, false), faults: ["throttled"] }, act)
  const writing = <Result>(text: string, name: string, act: () => Result) =>
    reach({ text: `lambda.${text} ${name}`, access: on(name, true), faults: WRITE }, act)
  return {
    host: {
      create: ({ name }) => writing("create", name, () => void names.set(name, true)),
      stateOf: (name) => reading("stateOf", name, () => (names.has(name) ? "active" : "absent")),
      invoke: (name, event) =>
        writing("invoke", name, () => {
          if (!names.has(name)) return { kind: "absent" }
          const { context } = JSON.parse(Buffer.from(event).toString())
          const times = (calls.get(context.runId) ?? 0) + 1
          calls.set(context.runId, times)
          return {
            kind: "answered",
            answer: Buffer.from(JSON.stringify({ status: "success", result: times })),
          }
        }),
      remove: (name) => writing("remove", name, () => void names.delete(name)),
      logs: (name) => reading("logs", name, () => ({ lines: [], next: null })),
    },
    code: {
      put: (key, zip) => writing("put", key, () => void zips.set(key, zip)),
      get: (key) => reading("get", key, () => zips.get(key) ?? null),
      remove: (key) => writing("remove", key, () => void zips.delete(key)),
    },
  }
}
