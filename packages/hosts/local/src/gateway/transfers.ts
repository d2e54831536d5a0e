/** A file that is on its way from or to the storage. */
export interface Transfer {
  readonly appId: string
  /** How much has passed. */
  bytes: number
  /** Ends it before its time: what is transferred can be resumed. */
  readonly cut: () => void
}

export interface TransfersOptions {
  readonly max: number
  /** How long a transfer is not compared with others, in milliseconds. */
  readonly graceMs: number
  /** A monotonic clock, in milliseconds. Default: that of the process. */
  readonly now?: () => number
}

/** A transfer below this rate makes place for another one of its own app, in bytes a millisecond. */
const SLOW_RATE = 64

/**
 * The transfers under way. They last as long as a file is large and its client slow, so a new one does not wait for them.
 * When there is no place left, it gets one of the app with the most, whose slowest transfer is cut. An app that would then
 * have more than the others gets a place only of its own transfers that are slow.
 */
export class Transfers {
  readonly #max: number
  readonly #graceMs: number
  readonly #now: () => number
  /** With the time at which each began. */
  readonly #underWay = new Map<Transfer, number>()

  constructor({ max, graceMs, now = () => performance.now() }: TransfersOptions) {
    this.#max = max
    this.#graceMs = graceMs
    this.#now = now
  }

  /** Begins a transfer that the storage permits. Returns false when there is no place. */
  begin(transfer: Transfer): boolean {
    if (this.#underWay.size >= this.#max && !this.#makePlace(transfer.appId)) return false
    this.#underWay.set(transfer, this.#now())
    return true
  }

  /** Ends a transfer, whether it had begun or not. */
  end(transfer: Transfer): void {
    this.#underWay.delete(transfer)
  }

  #makePlace(appId: string): boolean {
    const byApp = Map.groupBy(this.#underWay.keys(), (each) => each.appId)
    const own = byApp.get(appId) ?? []
    const [most = []] = [...byApp.values()].sort((a, b) => b.length - a.length)
    const isOwn = most.length <= own.length + 1
    const [slowest] = (isOwn ? own : most)
      .map((each) => ({ each, rate: this.#rateOf(each) }))
      .sort((a, b) => a.rate - b.rate)
    if (slowest === undefined || (isOwn && slowest.rate >= SLOW_RATE)) return false
    this.end(slowest.each)
    slowest.each.cut()
    return true
  }

  #rateOf(transfer: Transfer): number {
    const ageMs = this.#now() - (this.#underWay.get(transfer) ?? 0)
    return ageMs < this.#graceMs ? Number.MAX_VALUE : transfer.bytes / ageMs
  }
}
