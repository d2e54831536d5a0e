import { cpus } from "node:os"
import { setTimeout as sleep } from "node:timers/promises"

const SAMPLE_MS = 1_000

/** From this part on, what others do to the caches of the processor shows in the ratios. */
const BUSY_SHARE = 0.15

/** Says whether other programs use the processors noticeably, while this one waits. */
export async function isBusyMachine(): Promise<boolean> {
  const before = processorTimes()
  await sleep(SAMPLE_MS)
  const after = processorTimes()
  return (after.busy - before.busy) / (after.all - before.all) > BUSY_SHARE
}

/** The milliseconds of all processors, and those in which they did something. */
function processorTimes(): { readonly busy: number; readonly all: number } {
  const sum = { busy: 0, all: 0 }
  for (const { times } of cpus()) {
    const all = times.user + times.nice + times.sys + times.irq + times.idle
    sum.all += all
    sum.busy += all - times.idle
  }
  return sum
}
