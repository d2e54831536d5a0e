/** How long one turn of the event loop may be taken up. */
const MAX_TURN_MS = 5

/**
 * Gives a function that does work in a later turn of the event loop, in the order in which it came, as much in each
 * turn as takes a few milliseconds. Work that is done at once is answered before anything else happens: whoever then
 * asks again, as a list of pages does, would keep timers and sockets waiting for as long as it asks.
 *
 * @param clock milliseconds
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
