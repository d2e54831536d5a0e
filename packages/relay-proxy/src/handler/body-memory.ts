import { MB } from "@sealway/kernel"
import { type BodyMemory, RelayError } from "@sealway/relay-engine"

/**
 * The limit for all exchanges of a process: received bodies, decoded, the values that are changed, and answers being
 * sent. Three quarters of it fit one body with the maximum number of values to change.
 */
const MAX_BODIES_BYTES = 384 * MB

/**
 * Memory for the bodies of one exchange: while they are read and changed, and for an answer until its client has read
 * it.
 */
export interface ExchangeMemory extends BodyMemory {
  /**
   * Releases everything taken except what is still held.
   *
   * @throws RelayError `service-unavailable`, with everything released, when that is more than was taken, and too much
   */
  keep(bytes: number): void
  /** Releases everything taken. */
  release(): void
}

/** How many times as much as the remaining memory one app may have. */
const APP_SHARE = 3

/**
 * Shares the memory for bodies that are read as a whole among the exchanges of a process, so that many large ones at a
 * time are refused, instead of ending the process with all other exchanges. An app may have three times as much as it
 * leaves for others: slow clients hold memory for long, and only take part of it from other apps.
 *
 * @returns a function that creates the memory of one exchange, by its app
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
          "The relay is processing too many large bodies. Try again shortly.",
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
