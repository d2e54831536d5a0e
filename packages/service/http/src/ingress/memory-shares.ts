import type { TaskOwner } from "@sealway/kernel"

/** How many times as much as the remaining memory one app may have. */
export const APP_FACTOR = 3
/** The same for a team with all its apps: more, so that each of its apps leaves some to the others. */
const TEAM_FACTOR = 7

/** What apps, and the teams that they belong to, have of some memory. What has no owner is together one's. */
export class MemoryShares {
  readonly #held = new Map<string | null, number>()

  /** How much an owner's app has, or what has no owner. */
  ofApp(owner: TaskOwner | null): number {
    return this.#held.get(owner?.appId ?? null) ?? 0
  }

  /** How much an owner's team has with all its apps. */
  ofTeam(owner: TaskOwner | null): number {
    return this.#held.get(owner?.teamId ?? null) ?? 0
  }

  /** @param left what others would have if the owner got more bytes */
  allow(owner: TaskOwner | null, bytes: number, left: number): boolean {
    return this.ofApp(owner) + bytes <= APP_FACTOR * left && this.ofTeam(owner) + bytes <= TEAM_FACTOR * left
  }

  count(owner: TaskOwner | null, bytes: number): void {
    const appId = owner?.appId ?? null
    const teamId = owner?.teamId ?? null
    this.#countFor(appId, bytes)
    if (teamId !== appId) this.#countFor(teamId, bytes)
  }

  #countFor(key: string | null, bytes: number): void {
    const held = (this.#held.get(key) ?? 0) + bytes
    if (held === 0) this.#held.delete(key)
    else this.#held.set(key, held)
  }
}
