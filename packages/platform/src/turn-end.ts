/**
 * Gives a function that waits for the end of the current turn of the event loop, the same for all who ask in one turn.
 *
 * Answers that leave one by one, each as soon as it is ready, wake a waiting caller for each of them, and on one machine
 * that costs as much as a small request itself. Those that leave together wake it once.
 */
export function createTurnEnd(): () => Promise<void> {
  let end: Promise<void> | null = null
  return () => {
    end ??= new Promise((resolve) => {
      setImmediate(() => {
        end = null
        resolve()
      })
    })
    return end
  }
}
