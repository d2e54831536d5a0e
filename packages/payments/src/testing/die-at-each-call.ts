/** When a process dies in one history. */
export interface Death {
  /** Which call it dies at, counted from 0. */
  readonly deadly: number
  /** Stands before and after each call to the outside. @throws Error at the call that the process dies at */
  readonly crash: () => void
  /** Calls count from here on. Until then, the process lives. */
  readonly begin: () => void
}

/** Repeats a history: its process dies at the first call, then at the second, and so on, until it survives. */
export async function dieAtEachCall(history: (death: Death) => Promise<void>): Promise<void> {
  let isDead = true
  for (let deadly = 0; isDead; deadly++) {
    let calls = Number.NEGATIVE_INFINITY
    isDead = false
    await history({
      deadly,
      begin() {
        calls = 0
      },
      crash() {
        if (calls++ !== deadly) return
        isDead = true
        throw new Error("The process dies")
      },
    })
  }
}
