import { type FunctionHost, type Invocation, type NewProgram, RefusedProgramError } from "@sealway/ports"
import { type Reach, WRITE } from "@sealway/ports/testing"

/** How a program reacts when it is called. */
export type Behaviour = (event: {
  payload: unknown
  context: { runId: string }
}) => Invocation | Error | Promise<Invocation>

export const answered = (answer: unknown): Invocation => ({
  kind: "answered",
  answer: Buffer.from(JSON.stringify(answer)),
})

/** Creates a host with programs in memory. */
export function createMemoryHost(reach: Reach = async (_, act) => act()) {
  const programs = new Map<string, NewProgram & { state: "pending" | "active" | { failed: string } }>()
  const calls: { readonly name: string; readonly event: string; readonly limitMs: number }[] = []
  const removed: string[] = []
  const settings: {
    behaviour: Behaviour
    state: "pending" | "active" | { failed: string }
    refusal: string | null
  } = {
    behaviour: ({ payload }) => answered({ status: "success", result: payload }),
    state: "active",
    refusal: null,
  }
  const step = <Result>(text: string, act: () => Result) =>
    reach({ text: `lambda.${text}`, access: null, faults: WRITE }, act)
  const host: FunctionHost = {
    create: (program) =>
      step("create", () => {
        if (settings.refusal !== null) throw new RefusedProgramError(settings.refusal)
        if (!programs.has(program.name)) programs.set(program.name, { ...program, state: settings.state })
      }),
    stateOf: (name) => step("stateOf", () => programs.get(name)?.state ?? "absent"),
    invoke: (name, event, limitMs, signal) =>
      step("invoke", (): Invocation | Promise<Invocation> => {
        if (!programs.has(name)) return { kind: "absent" }
        const text = Buffer.from(event).toString()
        calls.push({ name, event: text, limitMs })
        const done = settings.behaviour(JSON.parse(text))
        if (done instanceof Error) throw done
        return Promise.race([done, endOf(signal)])
      }).then((done) => done),
    remove: (name) =>
      step("remove", () => {
        programs.delete(name)
        removed.push(name)
      }),
    logs: (name, since, limit) =>
      step("logs", () => ({ lines: [{ at: since, message: `${name} ${limit}` }], next: null })),
  }
  return { host, programs, calls, removed, settings }
}

function endOf(signal: AbortSignal | undefined): Promise<Invocation> {
  return new Promise((resolve) =>
    signal?.addEventListener("abort", () => resolve({ kind: "timed-out", isStopped: false })),
  )
}
