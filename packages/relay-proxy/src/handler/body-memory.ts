import { MB } from "@sealway/kernel"
import { type BodyMemory, RelayError } from "@sealway/relay-engine"

/** Of all exchanges of a process: bodies as they come, decoded, the values that are changed, and answers on their way. */
const MAX_BODIES_BYTES = 256 * MB

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

/**
 * Shares the memory for bodies that are read as a whole among the exchanges of a process, so that many large ones at a
 * time are refused, instead of ending the process and all other exchanges with it.
 */
export function createBodiesMemory(maxBytes = MAX_BODIES_BYTES): () => ExchangeMemory {
  let takenBytes = 0
  return () => {
    let ownBytes = 0
    const take = (bytes: number) => {
      if (takenBytes + bytes > maxBytes) {
        throw new RelayError(
          "service-unavailable",
          "The relay has too many large bodies to read. Try again shortly.",
        )
      }
      takenBytes += bytes
      ownBytes += bytes
    }
    const release = () => {
      takenBytes -= ownBytes
      ownBytes = 0
    }
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
