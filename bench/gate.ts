import { missesRequirement, type Row } from "./benchmark.ts"
import { isBusyMachine } from "./gate/busy-machine.ts"
import { keepFigures, keptFigures, PROCESSOR } from "./gate/kept-figures.ts"
import type { Measured } from "./gate/measured.ts"
import { measureRequests } from "./gate/requests.ts"
import { measureTokens } from "./gate/tokens.ts"

export const description = `The short form of tokens, http, policies and relay, in CPU time, which another program on the machine
changes little. \`figure\` is what Sealway takes; \`ratio\` is what the limit takes at the same time, in the same process, divided by that:
node:crypto alone for tokens and documents, and a bare \`node:http\` server that parses the same JSON and writes it back for requests; for a role, the same
without. Both are what a quarter of many short turns take at most. Required is nine tenths of the ratio in \`bench/gate.json\` for the same model of processor, which \`--write\` replaces,
or four fifths of the lowest of other models; while other programs use the processors, four fifths of that. An improvement raises it in the same commit.`

/** The part of a kept ratio that is required, by whether it was measured on the same model of processor. */
const REQUIRED_SHARE = { sameModel: 0.9, otherModel: 0.8 }

/** The part of that which is required while others use the processors: they take from its caches. */
const REQUIRED_SHARE_WHEN_BUSY = 0.8

/**
 * Measures again what misses, requests in a new process, at most so many times in all, and takes the best: others share the
 * caches of the processor, so a busy machine makes Sealway slower than the limit, which needs less of them. Never faster.
 */
const ATTEMPTS = 4

/** A row without a kept figure, because it was renamed for example, misses its requirement. */
export async function run(): Promise<readonly Row[]> {
  const { ratios, areOfThisModel } = await keptFigures()
  if (!areOfThisModel) console.error(`bench/gate.json has no figures of ${PROCESSOR}.`)
  let share = areOfThisModel ? REQUIRED_SHARE.sameModel : REQUIRED_SHARE.otherModel
  let isBusy = false
  const best = new Map<string, Measured>()
  const rowOf = (measured: Measured): Row => {
    const required = share * (ratios.get(measured.name) ?? Number.POSITIVE_INFINITY)
    return { ...measured, unit: "µs", requiredRatio: Number(required.toPrecision(3)) }
  }
  const isWanted = (name: string) => {
    const measured = best.get(name)
    return measured === undefined || (ratios.has(name) && missesRequirement(rowOf(measured)))
  }
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    if (!isBusy && (await isBusyMachine())) {
      isBusy = true
      share *= REQUIRED_SHARE_WHEN_BUSY
      console.error("Other programs use the processors: less is required.")
    }
    for (const measured of [...(await measureTokens(isWanted)), ...(await measureRequests(isWanted))]) {
      if (measured.ratio > (best.get(measured.name)?.ratio ?? 0)) best.set(measured.name, measured)
    }
    if (![...best.keys()].some(isWanted)) break
  }
  const unmeasured = [...ratios.keys()].filter((name) => !best.has(name))
  if (unmeasured.length > 0)
    throw new Error(`bench/gate.json has figures that are not measured: ${unmeasured}`)
  return [...best.values()].map(rowOf)
}

export async function keep(rows: readonly Row[]): Promise<void> {
  await keepFigures(new Map(rows.map(({ name, ratio }) => [name, ratio ?? Number.NaN])))
}
