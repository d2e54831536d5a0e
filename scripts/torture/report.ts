import type { Repetitions } from "./check-records.ts"
import type { Delays } from "./delays.ts"
import type { FaultCounts } from "./faults.ts"
import { type Finding, isViolation } from "./findings.ts"
import type { Ledger } from "./ledger.ts"

export interface TortureResult {
  readonly seed: number
  readonly minutes: number
  readonly counts: FaultCounts
  readonly findings: readonly Finding[]
  /** Creations that got no answer, and happened once more when they were repeated. */
  readonly madeTwice: Finding
  readonly repetitions: Repetitions
  readonly delays: Delays
  readonly ledgers: readonly Ledger[]
}

/** Renders tables in Markdown, as in docs/testing.md. */
export function report({
  seed,
  minutes,
  counts,
  findings,
  madeTwice,
  repetitions,
  delays,
  ledgers,
}: TortureResult): string {
  const { kills, fullDisks, powerCuts, clockJumps, backups } = counts
  const repeated = sum(ledgers, ({ repeated }) => repeated)
  const otherwise = ledgers.flatMap(({ repeatedOtherwise }) => repeatedOtherwise)
  const examples = [
    ...[...findings, madeTwice].flatMap(({ what, examples }) =>
      examples.map((example) => `- ${what}: ${example}`),
    ),
    ...otherwise.map((what) => `- answered otherwise: ${what}`),
  ]
  return `Seed ${seed}, ${minutes} minutes: ${kills} kills, ${powerCuts} power cuts, ${fullDisks} full disks, ${clockJumps} clock jumps, ${backups} backups.

| acknowledged | count | lost | wrong | doubled |
|---|---|---|---|---|
${findings.map(({ what, acknowledged, lost, wrong, doubled }) => `| ${what} | ${acknowledged} | ${lost} | ${wrong} | ${doubled} |`).join("\n")}

Requests repeated with their Idempotency-Key: ${repeated}; answered otherwise: ${otherwise.length}.
Creations without an answer, repeated at the end: ${repetitions.repeated}; acknowledged then: ${repetitions.acknowledged}; there twice since: ${madeTwice.doubled}${refusals(repetitions.refused)}.
Delay of webhooks to quick receivers, beside slow, failing and hanging ones: ${delays.measured} measured, median ${ms(delays.medianMs)}, p99 ${ms(delays.p99Ms)}, most ${ms(delays.mostMs)}, later than a second and the slowest answers of the API (p99 ${ms(delays.answerP99Ms)}): ${delays.late}.
${examples.length === 0 ? "" : `\n${examples.join("\n")}\n`}`
}

/** Returns whether something happened that must not. A busy machine may hold up one webhook in a hundred. */
export function isBroken({ findings, madeTwice, delays, ledgers }: TortureResult): boolean {
  const isLate = delays.late > Math.max(1, delays.measured / 100)
  const isLost = [...findings, madeTwice].some(isViolation)
  return isLost || isLate || ledgers.some(({ repeatedOtherwise }) => repeatedOtherwise.length > 0)
}

const ms = (value: number) => `${Math.round(value)} ms`

function refusals(refused: ReadonlyMap<string, number>): string {
  return [...refused].map(([why, count]) => `; ${count} refused with ${why}`).join("")
}

function sum(ledgers: readonly Ledger[], value: (ledger: Ledger) => number): number {
  return ledgers.reduce((total, ledger) => total + value(ledger), 0)
}
