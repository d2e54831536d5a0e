import { MB } from "@sealway/kernel"
import { type BodyMemory, RelayError } from "@sealway/relay-engine"

/**
 * Of all exchanges of a process: bodies as they come, decoded, the values that are changed, and answers on their way.
 * Three quarters of it hold one body with as many values as may be changed.
 */
const MAX_BODIES_BYTES = 384 * MB

/** What the bodies of one exchange take: while they are read and changed, and an answer until its client has taken it off. */
export interface ExchangeMemory extends BodyMemory {
  /**
   * Gives back all that was taken but for what is still kept.
   *
   * @throws RelayError `service-unavailable`, with all of it given back, when that is more than was taken, and too much
   */
  keep(bytes: number): void
  /** Gives back all that was taken. */
  release(): void
}

/** How many times as much as is left one app may have. */
const APP_SHARE = 3

/**
 * Shares the memory for bodies that are read as a whole among the exchanges of a process, so that many large ones at a
 * time are refused, instead of ending the process and all other exchanges with it. An app may have three times as much
 * as it leaves to others: clients that send or read slowly keep memory for long, and take none of it from other apps
 * but a part.
 *
 * @returns what counts for one exchange, by its app
 */
export function createBodiesMemory(maxBytes = MAX_BODIES_BYTES): (appId: string) => ExchangeMemory {
  const bytesOfApps = new Map<string, number>()
  let takenBytes = 0
  return (appId) => {
    let ownBytes = 0
    const count = (bytes: number) => {
      const bytesOfApp = (bytesOfApps.get(appId) ?? 0) + bytes
      if (bytesOfApp === 0) bytesOfApps.delete(appId)
      else bytesOfApps.set(appId, bytesOfApp)
      takenBytes += bytes
      ownBytes += bytes
    }
    const take = (bytes: number) => {
      if (bytes === 0) return
      const leftBytes = maxBytes - takenBytes - bytes
      if ((bytesOfApps.get(appId) ?? 0) + bytes > APP_SHARE * leftBytes) {
        throw new RelayError(
          "service-unavailable",
          "The relay has too many large bodies to read. Try again shortly.",
        )
      }
      count(bytes)
    }
    const release = () => count(-ownBytes)
    return {
      take,
      release,
      keep(bytes) {
        release()
        take(bytes)
      },
    }
  }
}
