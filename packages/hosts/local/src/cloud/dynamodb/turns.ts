/** How long one turn of the event loop may take. */
const MAX_TURN_MS = 5

/**
 * Creates a function that runs work in a later turn of the event loop, in the order of the calls, as much per turn as
 * takes a few milliseconds. If work were done immediately, a caller that always asks again, like one that lists pages,
 * would block timers and sockets as long as it asks.
 *
 * @param clock returns milliseconds
 */
export function createTurns(clock: () => number): <Result>(work: () => Result) => Promise<Result> {
  const waiting: (() => void)[] = []

  function takeTurn(): void {
    const end = clock() + MAX_TURN_MS
    let done = 0
    do waiting[done++]?.()
    while (done < waiting.length && clock() < end)
    waiting.splice(0, done)
    if (waiting.length > 0) setImmediate(takeTurn)
  }

  return (work) =>
    new Promise((resolve, reject) => {
      const task = () => {
        try {
          resolve(work())
        } catch (error) {
          reject(error)
        }
      }
      if (waiting.push(task) === 1) setImmediate(takeTurn)
    })
}
