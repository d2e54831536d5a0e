import { existsSync } from "node:fs"
import { rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import { ROOT, startProgram } from "../../test/support/start.ts"
import { checkFiles } from "./check-files.ts"
import { checkTokens } from "./check-secrets.ts"
import { checkSubjects } from "./check-subjects.ts"
import { type Finding, Tally } from "./findings.ts"
import type { Ledger, LedgerSubject } from "./ledger.ts"
import type { Random } from "./random.ts"
import { createTorturedService } from "./tortured-service.ts"

const BIN = join(ROOT, "packages", "clients", "cli", "bin", "sealway.mjs")
const MAX_RESTORE_MS = 4_000

/** What was acknowledged before a backup began, and has not changed until it was restored. */
interface RestoredBackup {
  readonly folder: string
  readonly ledgers: readonly Ledger[]
}

export interface Backups {
  /** Backs up the service at work, kills a restore, and restores the backup. */
  strike(): Promise<void>
  /** Checks the last restored backup by a service on it. Call it when the other one has stopped. */
  check(): Promise<readonly Finding[]>
}

export interface BackupsOptions {
  readonly workFolder: string
  readonly dataFolder: string
  readonly ledgers: readonly Ledger[]
  readonly random: Random
}

export function createBackups({ workFolder, dataFolder, ledgers, random }: BackupsOptions): Backups {
  const tally = new Tally()
  let last: RestoredBackup | null = null
  const passphraseFile = join(workFolder, "passphrase")

  const run = (...args: string[]) =>
    startProgram([process.execPath, BIN, "data", ...args, "--passphrase-file", passphraseFile], workFolder)

  async function succeeds(...args: string[]): Promise<boolean> {
    const program = run(...args)
    const status = await program.ended()
    if (status !== 0) tally.count("lost", `data ${args[0]} ended with ${status}: ${program.stderr()}`)
    return status === 0
  }

  return {
    async strike() {
      const serial = ++tally.acknowledged
      const [file, folder] = [join(workFolder, `backup-${serial}`), join(workFolder, `restored-${serial}`)]
      await writeFile(passphraseFile, "correct horse battery staple\n", { mode: 0o600 })
      const begunAt = performance.now()
      const before = ledgers.map(copyOf)
      if (!(await succeeds("backup", file, "--data", dataFolder))) return
      const restoredAt = performance.now()
      const restore = ["restore", file, folder, "--erasures-of", dataFolder]
      const killed = run(...restore)
      await Promise.race([delay(random.between(300, MAX_RESTORE_MS)), killed.ended()])
      await killed.stop("SIGKILL")
      if (!existsSync(folder) && !(await succeeds(...restore))) return
      await rm(file)
      if (last !== null) await rm(last.folder, { recursive: true })
      const kept = before.map((ledger, index) => lastingIn(ledger, ledgers[index], { begunAt, restoredAt }))
      last = { folder, ledgers: kept }
    },
    async check() {
      const backups = tally.finding("backup of the service at work, restored")
      if (last === null) return [backups]
      const service = createTorturedService(workFolder)
      await service.start(last.folder)
      try {
        const found = [
          ...(await checkTokens(service, last.ledgers)),
          await checkSubjects(service, last.ledgers),
          await checkFiles(service, last.ledgers),
        ]
        return [backups, ...found.map((finding) => ({ ...finding, what: `${finding.what} in a backup` }))]
      } finally {
        await service.kill()
      }
    },
  }
}

function copyOf(ledger: Ledger): Ledger {
  return {
    ...ledger,
    sealed: [...ledger.sealed],
    relayed: [...ledger.relayed],
    files: ledger.files.filter(({ state }) => state === "stored").map((file) => ({ ...file })),
    subjects: ledger.subjects.map((subject) => ({ ...subject, sealed: [...subject.sealed] })),
  }
}

/** @param now the same ledger after the backup was restored */
function lastingIn(
  before: Ledger,
  now: Ledger = before,
  { begunAt, restoredAt }: { readonly begunAt: number; readonly restoredAt: number },
): Ledger {
  const stored = new Set(now.files.filter(({ state }) => state === "stored").map(({ id }) => id))
  const subjects = new Map(now.subjects.map((subject) => [subject.person, subject]))
  const stateOf = ({ person, state }: LedgerSubject): LedgerSubject["state"] => {
    const later = subjects.get(person)
    if (state === "open" && later?.state === "open" && later.changedAt < begunAt) return "open"
    // Restoring applies the erasures since the backup, too.
    return later?.state === "erased" && later.changedAt < restoredAt ? "erased" : "unknown"
  }
  return {
    ...before,
    files: before.files.filter(({ id }) => stored.has(id)),
    subjects: before.subjects.map((subject) => ({ ...subject, state: stateOf(subject) })),
  }
}
