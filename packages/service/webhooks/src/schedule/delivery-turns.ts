import { createBoundedMap } from "@sealway/kernel"

/** An answer that takes longer makes a destination slow, until it answers faster. */
const SLOW_MS = 1_000
/** A destination that takes this long is left alone for as long. */
const HANGING_MS = 10_000
/** Concurrent attempts at one destination. */
const QUICK_TURNS = 20
const SLOW_TURNS = 4
/** Concurrent attempts at all slow destinations. The rest of the process's capacity is left to the others. */
const ALL_SLOW_TURNS = 100
/**
 * Concurrent attempts at all slow destinations of one app, so that an app with many of them leaves turns to the others.
 */
const SLOW_TURNS_OF_APP = 40
/** How many deliveries wait in this process for a turn at one destination, and for how long. */
const MAX_WAITING = 100
const MAX_WAIT_MS = 1_000
/** Delayed deliveries come again after a random time in this range, so that they do not all come together. */
const PUT_BACK_MS = { quick: { from: 1_000, to: 5_000 }, slow: { from: 5_000, to: 60_000 } } as const
/** How many destinations are remembered as slow. */
const MAX_DESTINATIONS = 1_000

/** An attempt may start, and must be ended; or it must wait, and the delivery come again later. */
export type Turn = { readonly end: (isSent: boolean) => void } | { readonly waitMs: number }

/** Shares out the concurrent attempts of a process, so that no destination takes the turns of others. */
export interface DeliveryTurns {
  /** Answers within a second. */
  take(appId: string, url: string): Promise<Turn>
}

export interface DeliveryTurnsOptions {
  /** A monotonic clock, in milliseconds. */
  readonly now: () => number
  /** From 0 to less than 1. */
  readonly random: () => number
}

interface Lane {
  readonly appId: string
  /** The start times of the attempts in progress. */
  readonly begun: Set<{ readonly at: number }>
  readonly waiting: Set<() => void>
  wasSlow: boolean
  restsUntil: number
}

/**
 * Creates turns. A destination that answers quickly has many turns, and further deliveries wait a moment for theirs. A
 * slow one has few, and deliveries without a turn are delayed immediately. So it blocks no one, and memory use is
 * bounded.
 */
export function createDeliveryTurns({ now, random }: DeliveryTurnsOptions): DeliveryTurns {
  const lanes = createBoundedMap<Lane>(MAX_DESTINATIONS)
  /** Destinations with attempts in progress. */
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
        // An attempt that was not sent says nothing about the destination.
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
      // Waiting deliveries go first.
      if (lane.waiting.size === 0 && isFree(lane)) return begin(lane)
      return isSlow(lane) || lane.waiting.size >= MAX_WAITING ? putBack(lane) : waitFor(lane)
    },
  }
}
