import { hash } from "node:crypto"
import type { Bounds, History, RunOnce, Step } from "@sealway/ports/testing"
import { type Workers, World } from "./world/world.ts"

/** What happens at the same time in one history. */
export interface Run {
  /** Requests, workers, sweepers and clients that repeat, by name. Each runs until its first call to the outside, in turn. */
  readonly actors: Readonly<Record<string, () => Promise<unknown>>>
  /** Who takes the messages of a queue. Default: nobody does, while the history runs. */
  readonly workers?: Workers
  /** Checks what must be true after every history. @throws Error saying what is not */
  readonly check: () => Promise<void> | void
}

/** A small program: who does what at the same time, and what must be true afterwards. */
export interface Program {
  readonly name: string
  /** What it promises, for `--help` and the documentation. */
  readonly promises: string
  /** Which histories are looked at exhaustively. Default: see `BOUNDS`. */
  readonly bounds?: readonly Bounds[]
  /** Prepares a world, once. @returns what begins a history in it */
  readonly prepare: (world: World) => Promise<(world: World) => Run>
}

/** Up to three pre-emptions; with a fault, one. */
export const BOUNDS: readonly Bounds[] = [
  { preemptions: 3, faults: 0 },
  { preemptions: 1, faults: 1 },
]

/** Prepares a program, so that any number of its histories can be run. */
export async function load({ prepare }: Program): Promise<RunOnce> {
  const world = new World()
  const begin = await prepare(world)
  const restore = world.snapshot()
  const run: RunOnce = async (choose): Promise<History> => {
    restore()
    const run = begin(world)
    const { scheduler } = world
    if (run.workers !== undefined) world.deliver(run.workers)
    for (const [name, act] of Object.entries(run.actors)) scheduler.startLater(name, act)
    await scheduler.run(choose)
    const { steps, errors } = scheduler
    const violation = await violationOf(run, errors)
    return {
      steps,
      violation,
      state: stateOf(world, steps),
      logged: [...world.logged],
      known: world.accesses.count,
    }
  }
  // The first time, modules are loaded on the way, and who changes what is not known.
  await run(() => 0)
  return run
}

async function violationOf({ check }: Run, errors: readonly unknown[]): Promise<Error | null> {
  try {
    for (const error of errors) throw error
    await check()
    return null
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}

const ID = /[A-Za-z0-9_-]{16,}/g

/** Names a final state: what is stored, without what is different in each run. */
function stateOf({ tables, bucket, messages, decryptions }: World, steps: readonly Step[]): string {
  const names = new Map<string, string>()
  const rename = (text: string) =>
    text.replaceAll(ID, (id) => {
      const name = names.get(id) ?? `#${names.size}`
      names.set(id, name)
      return name
    })
  const items = [...tables.values()].flatMap((table) =>
    [...table].map(([key, item]) => rename(`${key} ${item.revision} ${item.status}`)),
  )
  const outside = [bucket.objects.size, bucket.uploads.size, messages.size, decryptions.size]
  const answers = steps.filter(({ call }) => call.startsWith("answer")).map(({ call }) => call)
  return hash("sha256", JSON.stringify([items, outside, answers]))
}
