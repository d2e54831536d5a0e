import { setTimeout as delay } from "node:timers/promises"
import type { Backups } from "./backups.ts"
import type { Disk } from "./disk.ts"
import type { Scenario } from "./options.ts"
import type { Random } from "./random.ts"
import type { TorturedService } from "./tortured-service.ts"

export interface FaultCounts {
  kills: number
  fullDisks: number
  powerCuts: number
  clockJumps: number
  backups: number
}

export interface FaultOptions {
  readonly service: TorturedService
  readonly dataFolder: string
  /** Null: none can be mounted, and the scenarios that need one are left out. */
  readonly disk: Disk | null
  readonly backups: Pick<Backups, "strike">
  readonly random: Random
  readonly counts: FaultCounts
}

const MAX_JUMP_MS = 60 * 60_000
/** Further than this from the machine's clock, keys of repeated requests would expire. */
const MAX_OFFSET_MS = 6 * 60 * 60_000

/** Creates the faults of the service, by scenario. Receivers break by themselves. */
export function createFaults(options: FaultOptions): ReadonlyMap<Scenario, () => Promise<void>> {
  const { service, dataFolder, disk, backups, random, counts } = options

  async function kill(): Promise<void> {
    counts.kills++
    await service.kill()
    await delay(random.between(0, 300))
    await service.start(dataFolder)
  }

  /** Kills it while it starts, sometimes: that is when it repairs. */
  async function killTwice(): Promise<void> {
    await kill()
    if (random.next() < 0.7) return
    counts.kills++
    await service.kill()
    const starting = service.start(dataFolder).catch(() => undefined)
    await delay(random.between(100, 1_500))
    await service.kill()
    await starting
    await service.start(dataFolder)
  }

  async function jumpClock(): Promise<void> {
    counts.clockJumps++
    const by = random.between(-MAX_JUMP_MS, MAX_JUMP_MS)
    const isFar = Math.abs(service.clockOffset() + by) > MAX_OFFSET_MS
    await service.shiftClock(isFar ? -by : by)
  }

  const faults: [Scenario, () => Promise<void>][] = [
    ["kill", killTwice],
    ["clock", jumpClock],
    [
      "backup",
      async () => {
        counts.backups++
        await backups.strike()
      },
    ],
  ]
  if (disk !== null) {
    faults.push([
      "disk",
      async () => {
        counts.fullDisks++
        await disk.fill()
        await delay(random.between(500, 4_000))
        if (random.next() < 0.3) await service.kill()
        await disk.free()
        if (service.isRunning()) return
        counts.kills++
        await service.start(dataFolder)
      },
    ])
    faults.push([
      "power",
      async () => {
        counts.powerCuts++
        service.pause()
        const blocks = await disk.copyBlocks()
        await service.kill()
        await blocks.swap()
        await service.start(dataFolder)
      },
    ])
  }
  return new Map(faults)
}
