/**
 * Creates a function that calls tasks at the end of the current turn of the event loop, those of one turn one after
 * another. They must not throw.
 *
 * Batching the work of many requests makes it cheaper for each. Messages that leave one by one, each as soon as it is
 * ready, wake their receiver every time, and on one machine that costs as much as a small request itself; messages that
 * leave together wake it once.
 */
export function createTurnEnd(): (task: () => void) => void {
  let tasks: (() => void)[] = []
  const end = () => {
    const due = tasks
    tasks = []
    for (const task of due) task()
  }
  return (task) => {
    if (tasks.push(task) === 1) setImmediate(end)
  }
}
