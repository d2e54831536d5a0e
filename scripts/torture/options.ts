import { parseArgs } from "node:util"

export const SCENARIOS = ["kill", "disk", "power", "clock", "receivers", "backup"] as const
export type Scenario = (typeof SCENARIOS)[number]

export interface TortureOptions {
  /** How long the faults last. The checks come after. */
  readonly minutes: number
  readonly seed: number
  readonly scenarios: readonly Scenario[]
  readonly clients: number
}

export const HELP = `Breaks a service while clients use it, and checks that what was acknowledged is kept.

Usage: npm run torture [-- OPTION ...]

  --minutes N      How long faults are injected (default: 10). The checks follow
                   and take a few more minutes
  --seed N         Chooses faults and requests (default: a random one, which is printed)
  --scenario NAME  Only these faults; may be given several times (default: all)
                     kill       the process is killed with SIGKILL
                     disk       the disk is full for a while (Linux, as root)
                     power      unsynced writes are lost (Linux, as root)
                     clock      the clock jumps by up to an hour, forward and back
                     receivers  receivers of webhooks are slow, fail, or never answer
                     backup     a backup is made under load, a restore is killed, and
                                the backup is restored
  --clients N      Clients that send requests at the same time (default: 6)
  --help           Print this

Exit status 1 when an acknowledged change was lost, altered or doubled.
`

/** Returns null for the help. @throws Error when an argument is unknown */
export function parseOptions(args: readonly string[]): TortureOptions | null {
  const { values } = parseArgs({
    args: [...args],
    options: {
      minutes: { type: "string", default: "10" },
      seed: { type: "string", default: String(Math.floor(Math.random() * 2 ** 32)) },
      scenario: { type: "string", multiple: true, default: [...SCENARIOS] },
      clients: { type: "string", default: "6" },
      help: { type: "boolean", default: false },
    },
  })
  if (values.help) return null
  return {
    minutes: numberFrom(values.minutes, "--minutes", 0.1, 600),
    seed: numberFrom(values.seed, "--seed", 0, 2 ** 32 - 1),
    scenarios: values.scenario.map(scenarioOf),
    clients: numberFrom(values.clients, "--clients", 1, 50),
  }
}

function numberFrom(text: string, option: string, least: number, most: number): number {
  const number = Number(text)
  if (!(number >= least && number <= most))
    throw new Error(`${option} must be a number from ${least} to ${most}.`)
  return number
}

function scenarioOf(name: string): Scenario {
  const found = SCENARIOS.find((scenario) => scenario === name)
  if (found === undefined) throw new Error(`--scenario must be one of ${SCENARIOS.join(", ")}.`)
  return found
}
