import type { MaybePromise } from "@sealway/kernel"

/**
 * Accounts for the memory of bodies that are read as a whole, and of what is made of them. Its methods throw what refuses
 * the message as `service-unavailable`, when there is no room.
 */
export interface BodyMemory {
  /** Counts more bytes of a body that arrives. */
  receive(bytes: number): void
  /** Waits until there is room to change the body. What `take` counts next is part of it. */
  reserve(bytes: number): MaybePromise<void>
  /** Counts more bytes, before they are allocated. */
  take(bytes: number): void
}

export const UNCOUNTED: BodyMemory = {
  receive: () => undefined,
  reserve: () => undefined,
  take: () => undefined,
}
