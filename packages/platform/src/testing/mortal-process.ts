/** A process that may die at any call to the outside. */
export interface MortalProcess {
  /** Stands before and after each call to the outside. @throws Error where the process dies, and from then on */
  readonly call: () => void
  /** Makes a call to the outside. */
  reach<Result>(act: () => Result): Promise<Result>
  /** Runs a process from its start. What it throws once it is dead is its death. @returns whether it died */
  live(run: () => Promise<unknown>): Promise<boolean>
}

/** @param crash called before and after each call to the outside. Throws where the process must die */
export function createMortalProcess(crash: () => void): MortalProcess {
  let isDead = false
  const call = () => {
    if (isDead) throw new Error("The process is dead")
    try {
      crash()
    } catch (error) {
      isDead = true
      throw error
    }
  }
  return {
    call,
    async reach(act) {
      call()
      const result = act()
      call()
      return result
    },
    async live(run) {
      isDead = false
      try {
        await run()
        return isDead
      } catch (error) {
        if (!isDead) throw error
        return true
      } finally {
        isDead = false
      }
    },
  }
}
