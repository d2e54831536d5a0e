import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import { type Backups, createBackups } from "./backups.ts"
import type { Credentials } from "./caller.ts"
import { checkAuditLog } from "./check-audit-log.ts"
import { awaitEnrolments, checkEnrolments } from "./check-enrolments.ts"
import { checkFiles } from "./check-files.ts"
import { checkRecords, repeatCreations } from "./check-records.ts"
import { awaitRuns, checkRuns } from "./check-runs.ts"
import { checkTokens } from "./check-secrets.ts"
import { checkSubjects } from "./check-subjects.ts"
import { awaitDeliveries, checkWebhooks } from "./check-webhooks.ts"
import { type Client, createClient } from "./client.ts"
import { measureDelays, type Span } from "./delays.ts"
import { type Disk, mountDisk } from "./disk.ts"
import { createFaults, type FaultCounts } from "./faults.ts"
import type { TortureOptions } from "./options.ts"
import { createRandom, type Random } from "./random.ts"
import { type Behaviour, type Receivers, startReceivers } from "./receivers.ts"
import type { TortureResult } from "./report.ts"
import { createTorturedService, type TorturedService } from "./tortured-service.ts"

const INTERRUPTS = ["SIGINT", "SIGTERM"] as const
const EXIT_INTERRUPTED = 130
/** Longer than an unanswered request locks its Idempotency-Key. */
const LOCKED_MS = 2 * 60_000

/** Breaks a service for a while, then checks everything. @param tell called with progress */
export async function torture(options: TortureOptions, tell: (line: string) => void): Promise<TortureResult> {
  const { seed, minutes } = options
  const random = createRandom(seed)
  const workFolder = await mkdtemp(join(tmpdir(), "sealway-torture-"))
  const disk = await mountDisk(workFolder)
  if (disk === null) tell("No file system can be mounted here, so full disks and power cuts are skipped.")
  const dataFolder = disk?.dataFolder ?? join(workFolder, "data")
  const receivers = await startReceivers(random.fork("receivers"))
  const service = createTorturedService(workFolder)
  const cleanUp = async () => {
    await service.kill()
    await receivers.close()
    await disk?.remove()
    await rm(workFolder, { recursive: true, force: true })
  }
  // Nothing else would unmount the disk.
  const onInterrupt = () => void cleanUp().finally(() => process.exit(EXIT_INTERRUPTED))
  for (const signal of INTERRUPTS) process.once(signal, onInterrupt)
  try {
    await service.start(dataFolder)
    const { teamId, teamKey } = await service.ready()
    const clients = await createClients(options, service, receivers, random)
    tell(`${clients.length} clients are ready.`)
    const counts: FaultCounts = { kills: 0, fullDisks: 0, powerCuts: 0, clockJumps: 0, backups: 0 }
    const ledgers = clients.map(({ ledger }) => ledger)
    const backups = createBackups({ workFolder, dataFolder, ledgers, random: random.fork("backups") })
    const breaking = { options, service, dataFolder, disk, backups, clients, random, counts, tell }
    const spans = await breakForAWhile(breaking)
    tell("Checking ...")
    receivers.heal()
    await service.shiftClock(LOCKED_MS)
    const restart = async () => {
      await service.kill()
      await service.start(dataFolder)
    }
    await restart()
    const team: Credentials = { user: teamId, key: teamKey }
    const repetitions = await repeatCreations(service, team, ledgers)
    await awaitRuns(service, ledgers)
    const tokens = await checkTokens(service, ledgers)
    // Before the clock moves past the time in which erasures can be undone, and after it.
    const subjects = await checkSubjects(service, ledgers)
    const files = await checkFiles(service, ledgers)
    await awaitEnrolments(service, ledgers)
    await awaitDeliveries(service, receivers, ledgers, restart)
    const { findings: records, madeTwice } = await checkRecords(service, team, ledgers)
    const findings = [
      ...tokens,
      subjects,
      { ...(await checkSubjects(service, ledgers)), what: "data subject, once no erasure can be undone" },
      files,
      ...records,
      await checkRuns(service, receivers, ledgers),
      await checkEnrolments(service, receivers, ledgers),
      ...(await checkAuditLog(service, team, receivers, ledgers)),
      ...(await checkWebhooks(service, receivers, ledgers)),
    ]
    const delays = measureDelays(ledgers, receivers, spans)
    await service.stop()
    findings.push(...(await backups.check()))
    return { seed, minutes, counts, findings, madeTwice, repetitions, delays, ledgers }
  } finally {
    for (const signal of INTERRUPTS) process.off(signal, onInterrupt)
    await cleanUp()
  }
}

/** Creates clients. Two have quick receivers only; each of the others has one more, which is not. */
async function createClients(
  { clients, scenarios }: TortureOptions,
  service: TorturedService,
  receivers: Receivers,
  random: Random,
): Promise<readonly Client[]> {
  const bad: readonly Behaviour[] = scenarios.includes("receivers")
    ? ["hanging", "slow", "flaky", "broken"]
    : []
  const created: Client[] = []
  for (let number = 0; number < clients; number++) {
    const behaviour = bad[number]
    const behaviours = behaviour === undefined ? [] : [behaviour]
    created.push(
      await createClient({ number, service, receivers, random: random.fork(`client ${number}`), behaviours }),
    )
  }
  return created
}

interface Breaking {
  readonly options: TortureOptions
  readonly service: TorturedService
  readonly dataFolder: string
  readonly disk: Disk | null
  readonly backups: Backups
  readonly clients: readonly Client[]
  readonly random: Random
  readonly counts: FaultCounts
  readonly tell: (line: string) => void
}

/** @returns when the service was broken */
async function breakForAWhile({ options, clients, tell, ...rest }: Breaking): Promise<readonly Span[]> {
  const { random } = rest
  const faults = [...createFaults(rest)].filter(([scenario]) => options.scenarios.includes(scenario))
  const until = performance.now() + options.minutes * 60_000
  const stop = new AbortController()
  const work = clients.map((client) => client.run(stop.signal))
  const failed = Promise.all(work).then(() => undefined)
  const spans: Span[] = []
  try {
    while (performance.now() < until) {
      await Promise.race([delay(random.between(1_000, 12_000)), failed])
      const [first, ...others] = faults
      if (first === undefined) continue
      const [scenario, strike] = random.pick([first, ...others])
      tell(`${scenario} ...`)
      const from = performance.now()
      await strike()
      spans.push({ from, to: performance.now() })
    }
  } finally {
    stop.abort()
  }
  await failed
  return spans
}
