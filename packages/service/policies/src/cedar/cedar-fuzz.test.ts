import { expect, test } from "vitest"
import { policySetOf } from "../rules/policy-set.ts"
import { cedarText } from "../testing/cedar-texts.ts"
import { contextOf, rawRule } from "../testing/rules.ts"
import { type Cedar, instantiateCedar } from "./cedar.ts"
import { createCedarSession } from "./cedar-session.ts"
import { cedarTokens } from "./cedar-tokens.ts"
import { checkRawPolicy, readRawPolicy } from "./raw-policy.ts"

/** `CEDAR_FUZZ_RUNS=100000 npm test -- packages/service/policies/src/cedar/cedar-fuzz` tries that many texts. */
const RUNS = Number(process.env.CEDAR_FUZZ_RUNS ?? 300)
/** The first seed. Each further text uses the next one. */
const FIRST_SEED = Number(process.env.CEDAR_FUZZ_SEED ?? 1)
const TIMEOUT_MS = 30_000 + RUNS * 100

const seeds = () => Array.from({ length: RUNS }, (_, index) => FIRST_SEED + index)
const question = { appId: "app_1", role: "pci", context: contextOf(), timeMs: 0 }

test(
  "no accepted text traps Cedar, neither during validation nor during evaluation",
  () => {
    const trapped: { readonly seed: number; readonly error: unknown }[] = []
    let seed = 0
    const { cedar, engine } = createCedarSession(instantiateCedar, {
      onFailure: (error) => trapped.push({ seed, error }),
    })
    let evaluated = 0
    for (seed of seeds()) {
      const text = cedarText(seed)
      checkRawPolicy(cedar(), text, "permit")
      // Policies that do not match the schema are evaluated too, although they cannot be saved.
      const read = readRawPolicy(cedar(), text)
      if (!read.ok) continue
      evaluated++
      engine.decide(policySetOf([rawRule(text, { effect: read.policy.effect })]), question)
    }
    expect(trapped).toEqual([])
    expect(evaluated).toBeGreaterThan(0)
  },
  TIMEOUT_MS,
)

test(
  "Cedar finds the same tokens that the checks count, and the same first unknown character",
  () => {
    // A separate session, because these texts may trap: Cedar gets them unchecked.
    const { cedar } = createCedarSession(instantiateCedar)
    const differing: object[] = []
    let compared = 0
    for (const seed of seeds()) {
      const text = cedarText(seed)
      const errors = parseErrors(cedar(), text)
      if (errors === null) continue
      const byteAt = (offset: number) => Buffer.byteLength(text.slice(0, offset))
      const tokens = [...cedarTokens(text)]
      const foreign = tokens.find(({ isKnown }) => !isKnown)
      if (foreign !== undefined && errors.length === 0) differing.push({ seed, taken: foreign })
      const ends = new Map(tokens.map((each) => [byteAt(each.start), byteAt(each.start + each.text.length)]))
      for (const { message, start, end } of errors) {
        if (message === "invalid token" && (foreign === undefined || byteAt(foreign.start) !== start)) {
          differing.push({ seed, message, start, foreign })
        }
        if (message.startsWith("unexpected token") && ends.get(start) !== end) {
          differing.push({ seed, message, start, end })
        }
        compared++
      }
    }
    expect(differing).toEqual([])
    expect(compared).toBeGreaterThan(0)
  },
  TIMEOUT_MS,
)

/** Returns the errors of Cedar's parser and their places; null when it traps. */
function parseErrors(cedar: Cedar, text: string) {
  try {
    const answer = cedar.policySetTextToParts(text)
    if (answer.type === "success") return []
    return answer.errors.flatMap(({ message, sourceLocations }) =>
      (sourceLocations ?? []).map(({ start, end }) => ({ message, start, end })),
    )
  } catch {
    return null
  }
}
