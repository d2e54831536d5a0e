import { createCedarSession, instantiateCedar, type NamedRule } from "@sealway/policies/analysis"
import type { Property, Region } from "@sealway/policies/files"
import { afterAll, expect, test } from "vitest"
import { createZ3 } from "../solver/z3-solver.ts"
import { createDice } from "../testing/dice.ts"
import {
  FROM_MS,
  randomCedar,
  randomConditions,
  randomQuestion,
  randomRules,
} from "../testing/random-policies.ts"
import { createProblem } from "./problem.ts"
import { prove } from "./prove.ts"

/** How many properties to prove, from which seed on; for long runs by hand. */
const PROOFS = Number(process.env.PROOF_FUZZ_RUNS ?? 20)
const FIRST_SEED = Number(process.env.PROOF_FUZZ_SEED ?? 1)
const ATTACKS = 60
const TIMEOUT_MS = 60_000 + PROOFS * 1_000

const solvers = createZ3({ limitMs: 60_000 })
afterAll(() => solvers.close())

test("a random property is proved where no random request contradicts it, or contradicted by one that Cedar decides", {
  timeout: TIMEOUT_MS,
}, async () => {
  const session = createCedarSession(instantiateCedar)
  const counts = { proved: 0, disproved: 0, unknown: 0 }
  for (let seed = FIRST_SEED; seed < FIRST_SEED + PROOFS; seed++) {
    const rules = randomRules(seed)
    const property = randomProperty(seed)
    const proof = await prove(solvers, session, { property, role: "pci", rules, nowMs: FROM_MS })
    counts[proof.result]++
    const attack = proof.result === "proved" ? contradiction(seed, rules, property) : null
    expect({ seed, attack }).toEqual({ seed, attack: null })
    if (proof.result !== "unknown") continue
    // Only for what the encoding has no form for.
    for (const reason of proof.reasons)
      expect({ seed, reason }).toEqual({ seed, reason: expect.stringMatching(UNKNOWN) })
  }
  expect(counts.proved).toBeGreaterThan(PROOFS / 10)
  expect(counts.disproved).toBeGreaterThan(PROOFS / 10)
  expect(counts.unknown).toBeLessThan(PROOFS / 5)

  /** Looks for a random request that contradicts a property, by Cedar alone. */
  function contradiction(seed: number, rules: readonly NamedRule[], property: Property) {
    const problem = createProblem(session, "pci", FROM_MS)
    const set = problem.encode(rules)
    const regions = property.kind === "implies" ? [property.when, property.only] : [property.region]
    const [first, second] = regions.map((region) => problem.region(region))
    for (let index = 0; index < ATTACKS; index++) {
      const question = { ...randomQuestion(seed * ATTACKS + index), action: "Decrypt" } as const
      const isPermitted = problem.decides(set, question) === "permit"
      const isInside = first !== undefined && problem.includes(first, question)
      const holds = {
        never: !(isPermitted && isInside),
        only: !isPermitted || isInside,
        always: isPermitted || !isInside,
        implies: !(isPermitted && isInside) || (second !== undefined && problem.includes(second, question)),
      }
      if (!holds[property.kind]) return question
    }
    return null
  }
})

const UNKNOWN = /in Cedar is not decided for all requests$|cannot decide/

function randomProperty(seed: number): Property {
  const dice = createDice(seed ^ 0x5eed)
  const region = (): Region =>
    dice.onceIn(3) ? { cedar: randomCedar(dice) } : { conditions: randomConditions(dice) }
  const kind = dice.pick(["never", "only", "always", "implies"] as const)
  return kind === "implies" ? { kind, when: region(), only: region() } : { kind, region: region() }
}
