import * as z from "zod"
import { isSampled } from "./sample.ts"

type Mutants = readonly (Parameters<typeof isSampled>[0] & { readonly id: string })[]

const sampleSchema = z.object({ percent: z.number(), seed: z.number() })

/** Leaves out mutants that are not in the sample. Stryker, which knows no samples, counts them as invalid. */
class SamplingChecker {
  // Set by `scripts/mutate.ts`; Stryker starts a process for each checker.
  readonly #sample = sampleSchema.parse(JSON.parse(process.env.MUTATION_SAMPLE ?? ""))

  async init(): Promise<void> {}

  async check(mutants: Mutants) {
    return Object.fromEntries(
      mutants.map((mutant) => [
        mutant.id,
        isSampled(mutant, this.#sample)
          ? { status: "passed" }
          : { status: "compileError", reason: "It is not in the sample." },
      ]),
    )
  }

  group(mutants: Mutants): string[][] {
    return [mutants.map(({ id }) => id)]
  }
}

export const strykerPlugins = [{ kind: "Checker", name: "sampling", injectableClass: SamplingChecker }]
