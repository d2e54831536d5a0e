import { createBoundedMap } from "@sealway/kernel"

/** An answer that takes longer makes a destination slow, until one comes sooner. */
const SLOW_MS = 1_000
/** Who takes as long as this is left alone for as long again. */
const HANGING_MS = 10_000
/** Attempts at one destination at the same time. */
const QUICK_TURNS = 20
const SLOW_TURNS = 4
/** Attempts at all slow destinations together: the rest of what a process can do is left to the others. */
const ALL_SLOW_TURNS = 100
/** Attempts at all slow destinations of one app: one with many of them leaves the others some of those turns. */
const SLOW_TURNS_OF_APP = 40
/** Deliveries that wait in this process for a turn at one destination, and how long each does. */
const MAX_WAITING = 100
const MAX_WAIT_MS = 1_000
/** What is put back comes again after some time between these, drawn at random so that not all come together. */
const PUT_BACK_MS = { quick: { from: 1_000, to: 5_000 }, slow: { from: 5_000, to: 60_000 } } as const
/** Destinations whose slowness is remembered. */
const MAX_DESTINATIONS = 1_000

/** An attempt may begin, and is to be ended; or it is not its turn, and the delivery is to come again after a while. */
export type Turn = { readonly end: (isSent: boolean) => void } | { readonly waitMs: number }

/** Shares out the attempts that a process makes at the same time, so that no destination takes the turns of others. */
export interface DeliveryTurns {
  /** Answers within a second. */
  take(appId: string, url: string): Promise<Turn>
}

export interface DeliveryTurnsOptions {
  /** Milliseconds, monotonic. */
  readonly now: () => number
  /** From 0 to less than 1. */
  readonly random: () => number
}

interface Lane {
  readonly appId: string
  /** When each attempt that is under way began. */
  readonly begun: Set<{ readonly at: number }>
  readonly waiting: Set<() => void>
  wasSlow: boolean
  restsUntil: number
}

/**
 * A destination that answers quickly has many turns, and more deliveries wait a moment for theirs. One that does not has
 * few, and what it has no turn for is put back at once: so that it holds up nobody, and what is kept in memory is bounded.
 */
export function createDeliveryTurns({ now, random }: DeliveryTurnsOptions): DeliveryTurns {
  const lanes = createBoundedMap<Lane>(MAX_DESTINATIONS)
  /** Those with attempts under way. */
  const busy = new Set<Lane>()

  function laneOf(appId: string, url: string): Lane {
    const destination = `${appId} ${url}`
    const known = lanes.get(destination)
    if (known !== undefined) return known
    const lane: Lane = { appId, begun: new Set(), waiting: new Set(), wasSlow: false, restsUntil: 0 }
    lanes.set(destination, lane)
    return lane
  }
  const isSlow = ({ wasSlow, begun }: Lane) => wasSlow || [...begun].some(({ at }) => now() - at > SLOW_MS)
  const turnsOf = (taken: readonly Lane[]) => taken.reduce((turns, { begun }) => turns + begun.size, 0)

  function hasSlowTurn({ appId }: Lane): boolean {
    const slow = [...busy].filter(isSlow)
    const ofApp = slow.filter((lane) => lane.appId === appId)
    return turnsOf(slow) < ALL_SLOW_TURNS && turnsOf(ofApp) < SLOW_TURNS_OF_APP
  }

  function isFree(lane: Lane): boolean {
    if (!isSlow(lane)) return lane.begun.size < QUICK_TURNS
    return lane.begun.size < SLOW_TURNS && now() >= lane.restsUntil && hasSlowTurn(lane)
  }

  function begin(lane: Lane): Turn {
    const attempt = { at: now() }
    lane.begun.add(attempt)
    busy.add(lane)
    return {
      end(isSent) {
        if (!lane.begun.delete(attempt)) return
        if (lane.begun.size === 0) busy.delete(lane)
        // What was not sent says nothing about the destination.
        if (isSent) {
          const tookMs = now() - attempt.at
          lane.wasSlow = tookMs > SLOW_MS
          lane.restsUntil = tookMs >= HANGING_MS ? now() + tookMs : 0
        }
        const [next] = lane.waiting
        next?.()
      },
    }
  }

  function putBack(lane: Lane): Turn {
    const { from, to } = PUT_BACK_MS[isSlow(lane) ? "slow" : "quick"]
    return { waitMs: Math.ceil(Math.max(from + random() * (to - from), lane.restsUntil - now())) }
  }

  const waitFor = (lane: Lane) =>
    new Promise<Turn>((resolve) => {
      const look = () => {
        clearTimeout(timer)
        lane.waiting.delete(look)
        resolve(isFree(lane) ? begin(lane) : putBack(lane))
      }
      const timer = setTimeout(look, MAX_WAIT_MS)
      lane.waiting.add(look)
    })

  return {
    async take(appId, url) {
      const lane = laneOf(appId, url)
      // Whoever waits goes first.
      if (lane.waiting.size === 0 && isFree(lane)) return begin(lane)
      return isSlow(lane) || lane.waiting.size >= MAX_WAITING ? putBack(lane) : waitFor(lane)
    },
  }
}
