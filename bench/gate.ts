import { missesRequirement, type Row } from "./benchmark.ts"
import { keepFigures, keptFigures, PROCESSOR } from "./gate/kept-figures.ts"
import { measureRequests } from "./gate/requests.ts"
import { measureTokens } from "./gate/tokens.ts"

export const description = `The short form of tokens, http, policies and relay, in CPU time, which another program on the machine
changes little. \`figure\` is what Sealway takes; \`ratio\` is what the limit takes at the same time, in the same process, divided by that:
node:crypto alone for tokens and documents, and a bare \`node:http\` server that parses the same JSON and writes it back for requests; for a role, the same
without. Both are what a quarter of many short turns take at most. Required is nine tenths of the ratio in \`bench/gate.json\` for the same model of processor, which \`--write\` replaces. An improvement raises it in the same commit.`

/** The part of a kept ratio that is required. */
const REQUIRED_SHARE = 0.9

/**
 * Measures again what misses, requests in a new process, at most so many times in all, and takes the best: others share the
 * caches of the processor, so a busy machine makes Sealway slower than the limit, which needs less of them. Never faster.
 */
const ATTEMPTS = 4

/**
 * A figure that was not kept misses its requirement: otherwise nobody would notice that it has another name now. On a
 * processor of which none was kept, nothing is required.
 */
export async function run(): Promise<readonly Row[]> {
  const kept = await keptFigures()
  if (kept === null) console.error(`Nothing is required: bench/gate.json has no figures of ${PROCESSOR}.`)
  const rows = new Map<string, Row>()
  const isWanted = (name: string) => {
    const row = rows.get(name)
    return row === undefined || (missesRequirement(row) && kept?.has(name) === true)
  }
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    for (const measured of [...(await measureTokens(isWanted)), ...(await measureRequests(isWanted))]) {
      const required = REQUIRED_SHARE * (kept?.get(measured.name) ?? Number.POSITIVE_INFINITY)
      const requiredRatio = kept === null ? null : Number(required.toPrecision(3))
      const row = { ...measured, unit: "µs", requiredRatio }
      if (measured.ratio > (rows.get(row.name)?.ratio ?? 0)) rows.set(row.name, row)
    }
    if (![...rows.keys()].some(isWanted)) break
  }
  const unmeasured = [...(kept?.keys() ?? [])].filter((name) => !rows.has(name))
  if (unmeasured.length > 0)
    throw new Error(`bench/gate.json has figures that are not measured: ${unmeasured}`)
  return [...rows.values()]
}

export async function keep(rows: readonly Row[]): Promise<void> {
  await keepFigures(new Map(rows.map(({ name, ratio }) => [name, ratio ?? Number.NaN])))
}
