import { Accesses } from "./accesses.ts"
import { unavailable } from "./faults.ts"
import { formatDeviations, formatSteps } from "./history.ts"
import { type Choose, Scheduler } from "./scheduler.ts"
import { type Bounds, type SearchResult, searchAll } from "./search.ts"

const START_MS = 1_700_000_000_000
const BY_DEFAULT: Choose = () => 0

/** A history in the making. */
export interface Explored {
  readonly scheduler: Scheduler
  /** Decides what happens next. */
  readonly choose: Choose
}

export interface ExploredFrom extends Explored {
  /** From here on, something may happen otherwise than by default. */
  readonly begin: () => void
}

/** A history whose clock stands still while anyone has something to do. @param choose default: everything happens by default */
export function unexplored(choose: Choose = BY_DEFAULT): Explored {
  return { scheduler: new Scheduler(START_MS, 0, new Accesses(), unavailable), choose }
}

/** Lets whoever goes on die in front of a call, when asked there. */
export function dyingWhen(isDeadly: () => boolean): Explored {
  return unexplored((_, options) => {
    const [{ label } = { label: "" }] = options
    const deadly = options.findIndex((option) => option.label === `${label}!dies`)
    return deadly > 0 && isDeadly() ? deadly : 0
  })
}

/** One fault in each history: the process dies, a call fails or its answer is lost, a message comes twice. */
const ONE_FAULT: readonly Bounds[] = [{ preemptions: 0, faults: 1 }]

/**
 * Makes all histories of a test with one fault, and the one without, and expects that it fails in none.
 *
 * @param history makes everything anew, and expects what must be true
 * @throws Error with the steps of the first history in which it fails
 */
export async function exploreHistories(
  history: (explored: ExploredFrom) => Promise<void>,
): Promise<SearchResult> {
  const result = await searchAll(
    async (choose) => {
      let begunAt = Number.POSITIVE_INFINITY
      const { scheduler } = unexplored()
      const violation = await history({
        scheduler,
        choose: (step, options) => (step < begunAt ? 0 : choose(step - begunAt, options)),
        begin() {
          begunAt = scheduler.steps.length
        },
      }).then(
        () => null,
        (error: unknown) => (error instanceof Error ? error : new Error(String(error))),
      )
      return { steps: scheduler.steps.slice(begunAt), violation, state: "", logged: [], known: 0 }
    },
    ONE_FAULT,
    () => false,
  )
  if (result.failure === null) return result
  const { deviations, history: failed } = result.failure
  throw new Error(`${formatDeviations(deviations)}\n${formatSteps(failed.steps)}`, {
    cause: failed.violation,
  })
}
