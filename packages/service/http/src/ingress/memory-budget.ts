import {
  formatCount,
  KB,
  type MaybePromise,
  MB,
  OverloadedError,
  PayloadTooLargeError,
  type TaskOwner,
} from "@sealway/kernel"
import { Deadlines } from "./deadlines.ts"
import { APP_FACTOR, MemoryShares } from "./memory-shares.ts"

/** The size up to which a body or an answer is small: it is refused last, so that large ones cannot crowd it out. */
export const SMALL_BYTES = 64 * KB

/** The share of all memory for bodies that wait for their work, so that they never take the room that work waits for. */
const RECEIVED_SHARE = 1 / 3

/** The share of the memory for bodies that large ones may take. The rest is for small ones. */
const LARGE_BODIES_SHARE = 3 / 4

/** Work that takes no more is small: a request with some 1,500 values. */
const SMALL_WORK_BYTES = MB

/** The share of the memory for work that is not for small work. */
const LARGE_WORK_SHARE = 7 / 8

/** How long work waits for memory, in milliseconds. It is refused before its client gives up. */
const MAX_WAIT_MS = 10_000

/** An answer that its client has not read yet. */
interface Answer {
  readonly hold: MemoryHold
  readonly number: number
  /** Disconnects the client. */
  readonly cut: () => void
}

/** What one request holds. */
export interface MemoryHold {
  /** Who sends the body, if that is known before it arrives. */
  readonly sender: TaskOwner | null
  /** Who shares the memory with others. */
  owner: TaskOwner | null
  /** Bytes of a body that was received. */
  received: number
  /** Bytes of its work, and later of its answer. */
  working: number
  /** Those of `working` that wait for somebody outside: a client that reads its answer, a relay's destination. */
  unread: number
}

export function createHold(owner: TaskOwner | null = null): MemoryHold {
  return { sender: owner, owner, received: 0, working: 0, unread: 0 }
}

export interface MemoryBudgetOptions {
  /** For bodies that wait for their work. */
  readonly receivedBytes: number
  /** For work and its answers. */
  readonly workingBytes: number
  /** How long work waits for memory. Default: 10 seconds. */
  readonly waits?: Deadlines
}

/** Work that waits for memory. */
interface Waiting {
  readonly hold: MemoryHold
  /** How many answers there had been when it came. */
  readonly answersBefore: number
  /** How much more it needs. */
  readonly bytes: number
  readonly grant: () => void
}

/**
 * Shares the memory of a process among requests by what they hold, so that many large ones at a time wait or are refused,
 * instead of ending the process with all the others.
 *
 * - Bodies have a part of their own. A body that does not fit is refused.
 * - Work reserves memory once, before it begins, and waits for it, first come, first served. What waits holds nothing
 *   but its body, so work that has begun always ends and releases what the others wait for.
 * - An app may have three times as much as it leaves to others, and a team with all its apps seven times as much. Where
 *   work waits because of its owner's share or for clients that do not read, others overtake it; otherwise only small work
 *   does.
 * - Before work is refused because it has waited for too long, answers that were there all the while, of apps that have
 *   more than it would, are cut until there is room for it.
 */
export class MemoryBudget {
  readonly #options: MemoryBudgetOptions
  readonly #waits: Deadlines
  readonly #shares = new MemoryShares()
  readonly #sharesOfBodies = new MemoryShares()
  readonly #waiting = new Set<Waiting>()
  /** The oldest comes first. */
  readonly #answers = new Map<MemoryHold, Answer>()
  #answersBefore = 0
  #received = 0
  #working = 0
  /** The part of it that is waiting to be read. */
  #unread = 0

  constructor(options: MemoryBudgetOptions) {
    this.#options = options
    this.#waits = options.waits ?? new Deadlines(MAX_WAIT_MS)
  }

  /** All bytes that are held. */
  get bytes(): number {
    return this.#received + this.#working
  }

  /** How much work waits for memory. */
  get waiting(): number {
    return this.#waiting.size
  }

  /** How much work and its answer may take together. */
  get mostForOne(): number {
    return (this.#workLimit(false) * APP_FACTOR) / (APP_FACTOR + 1)
  }

  /** Whether a body of this size fits. */
  hasRoomFor(bytes: number): boolean {
    return this.#fitsBody(bytes, bytes, null)
  }

  /** Counts more bytes of a body. Returns false, and counts nothing, when they do not fit. */
  receive(hold: MemoryHold, bytes: number): boolean {
    if (!this.#fitsBody(bytes, hold.received + bytes, hold.sender)) return false
    this.#countBody(hold, bytes)
    return true
  }

  /**
   * Counts more bytes of work.
   *
   * @throws PayloadTooLargeError when there will never be room
   * @throws OverloadedError when they do not fit at this moment. In both cases nothing is counted
   */
  takeOrRefuse(hold: MemoryHold, bytes: number): void {
    if (hold.working + bytes > this.mostForOne) throw tooLargeForMemory(this.mostForOne)
    if (!this.take(hold, bytes)) throw new OverloadedError()
  }

  /** Does the same, and returns false when they do not fit. */
  take(hold: MemoryHold, bytes: number): boolean {
    if (!this.#fitsWork(hold, bytes) || (!isSmallWork(hold, bytes) && this.#mustWaitBehind() !== null))
      return false
    this.#count(hold, bytes)
    return true
  }

  /** Counts bytes of work that are in use already, whether they fit or not. */
  add(hold: MemoryHold, bytes: number): void {
    this.#count(hold, bytes)
  }

  /**
   * Reserves memory for all of a request's work, so that it has at least that much; resolves when there is room.
   *
   * @param signal ends the wait, with its reason
   * @throws PayloadTooLargeError when there will never be room
   * @throws OverloadedError when there is none for too long, or at the moment, for work that has some
   */
  reserve(hold: MemoryHold, bytes: number, task: { readonly signal: AbortSignal }): MaybePromise<void> {
    const more = bytes - hold.working
    if (more <= 0) return
    if (bytes > this.mostForOne) throw tooLargeForMemory(this.mostForOne)
    if (this.take(hold, more)) return
    if (hold.working > SMALL_WORK_BYTES) throw new OverloadedError()
    return this.#wait(hold, more, task.signal)
  }

  /**
   * Ends the work of a request: from now on it holds only its answer, until its client has read it.
   *
   * @param cut disconnects the client, so that the answer gives way to work that waits. Default: it never does
   * @returns false, with everything released, when it is larger than what was reserved, and does not fit
   */
  keep(hold: MemoryHold, bytes: number, cut?: () => void): boolean {
    const more = bytes - hold.working
    const fits = more <= 0 || this.#fitsWork(hold, more)
    this.#drop(hold)
    if (fits && bytes > 0) {
      hold.unread = bytes
      this.#unread += bytes
      this.#count(hold, bytes)
      if (cut !== undefined) this.#answers.set(hold, { hold, number: this.#answersBefore++, cut })
    }
    this.#grant()
    return fits
  }

  /** Releases everything. */
  release(hold: MemoryHold): void {
    if (hold.received === 0 && hold.working === 0) return
    this.#drop(hold)
    this.#grant()
  }

  #drop(hold: MemoryHold): void {
    this.#answers.delete(hold)
    this.#countBody(hold, -hold.received)
    this.#unread -= hold.unread
    this.#count(hold, -hold.working)
    hold.unread = 0
  }

  #count(hold: MemoryHold, bytes: number): void {
    if (bytes === 0) return
    this.#shares.count(hold.owner, bytes)
    this.#working += bytes
    hold.working += bytes
  }

  #countBody(hold: MemoryHold, bytes: number): void {
    if (bytes === 0) return
    hold.received += bytes
    this.#received += bytes
    if (hold.sender !== null) this.#sharesOfBodies.count(hold.sender, bytes)
  }

  #fitsBody(bytes: number, ofHold: number, sender: TaskOwner | null): boolean {
    const share = ofHold > SMALL_BYTES ? LARGE_BODIES_SHARE : 1
    const left = this.#options.receivedBytes * share - this.#received - bytes
    return sender === null ? left >= 0 : this.#sharesOfBodies.allow(sender, bytes, left)
  }

  #fitsWork(hold: MemoryHold, bytes: number): boolean {
    const left = this.#workLimit(isSmallWork(hold, bytes)) - this.#working - bytes
    return this.#shares.allow(hold.owner, bytes, left)
  }

  #workLimit(isSmall: boolean): number {
    const { workingBytes } = this.#options
    return isSmall || workingBytes <= SMALL_WORK_BYTES ? workingBytes : workingBytes * LARGE_WORK_SHARE
  }

  #wait(hold: MemoryHold, bytes: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#waiting.delete(waiting)
        this.#waits.cancel(deadline)
        signal.removeEventListener("abort", abort)
      }
      const fail = (error: unknown) => {
        leave()
        reject(error)
        this.#grant()
      }
      const abort = () => fail(signal.reason)
      const waiting: Waiting = {
        hold,
        bytes,
        answersBefore: this.#answersBefore,
        grant: () => {
          isGranted = true
          leave()
          this.#count(hold, bytes)
          resolve()
        },
      }
      let isGranted = false
      const deadline = this.#waits.set(() => {
        this.#cutAnswers(waiting, () => isGranted)
        if (!isGranted) fail(new OverloadedError())
      })
      this.#waiting.add(waiting)
      signal.addEventListener("abort", abort)
    })
  }

  /** Cuts answers whose readers have had as much time as the work has waited, until it is granted. */
  #cutAnswers({ hold: { owner }, bytes, answersBefore }: Waiting, isGranted: () => boolean): void {
    const wouldHave = this.#shares.ofApp(owner) + bytes
    const teamWouldHave = this.#shares.ofTeam(owner) + bytes
    const hasMore = ({ hold }: Answer) =>
      this.#shares.ofApp(hold.owner) > wouldHave &&
      (hold.owner?.teamId === owner?.teamId || this.#shares.ofTeam(hold.owner) > teamWouldHave)
    const answers = [...this.#answers.values()].filter(
      (answer) => answer.number < answersBefore && hasMore(answer),
    )
    const inAnswers = answers.reduce((sum, { hold }) => sum + hold.unread, 0)
    const left = this.#workLimit(false) - this.#working + inAnswers - bytes
    if (!this.#shares.allow(owner, bytes, left)) return
    for (const answer of answers) {
      if (isGranted()) return
      if (!hasMore(answer)) continue
      const { hold, cut } = answer
      cut()
      this.release(hold)
    }
  }

  /** Gives memory to those that wait for it, in their order. */
  #grant(): void {
    if (this.#waiting.size === 0) return
    const passedApps = new Set<string | undefined>()
    for (const waiting of [...this.#waiting]) {
      const { hold, bytes, grant } = waiting
      if (passedApps.has(hold.owner?.appId)) continue
      if (this.#fitsWork(hold, bytes)) grant()
      else if (this.#comesNext(waiting)) return
      else passedApps.add(hold.owner?.appId)
    }
  }

  /** The work that others must not overtake, if there is any. */
  #mustWaitBehind(): Waiting | null {
    for (const waiting of this.#waiting) if (this.#comesNext(waiting)) return waiting
    return null
  }

  /** Whether only work that is under way, and will end, keeps this from beginning: neither its owner's share nor readers. */
  #comesNext({ hold: { owner }, bytes }: Waiting): boolean {
    if (this.#shares.ofApp(owner) > 0) return false
    const left = this.#workLimit(false) - this.#unread - this.#shares.ofTeam(owner) - bytes
    return this.#shares.allow(owner, bytes, left)
  }
}

/** Divides the memory of a process. */
export function memoryBudgetOf(bytes: number): MemoryBudget {
  const receivedBytes = bytes * RECEIVED_SHARE
  return new MemoryBudget({ receivedBytes, workingBytes: bytes - receivedBytes })
}

function isSmallWork({ working }: MemoryHold, bytes: number): boolean {
  return working + bytes <= SMALL_WORK_BYTES
}

function tooLargeForMemory(bytes: number): PayloadTooLargeError {
  return new PayloadTooLargeError(
    `The request takes more memory than one request may have: ${formatCount(Math.floor(bytes / MB))} MB. Split it, or start the service with more (--memory).`,
  )
}
