import { compare } from "../compare.ts"
import { documentOfValues, measurable } from "../token-ciphers/measurable.ts"
import { createNodeCryptoCipher } from "../token-ciphers/node-crypto.ts"
import { createSealwayCipher } from "../token-ciphers/sealway.ts"
import type { Measured } from "./measured.ts"

/** Compares Sealway's tokens with node:crypto alone. @param isWanted says which figures to measure, by name */
export async function measureTokens(isWanted: (name: string) => boolean): Promise<readonly Measured[]> {
  const results: Measured[] = []
  for (const size of [1, 100]) {
    const values = documentOfValues(size)
    const sealway = await measurable(createSealwayCipher(), values)
    const limit = await measurable(createNodeCryptoCipher(), values)
    for (const direction of ["encrypt", "decrypt"] as const) {
      const [ours, theirs] = [sealway[direction], limit[direction]]
      if (ours === null || theirs === null) throw new TypeError("Both encrypt and decrypt")
      const name = `tokens: ${direction} ${size === 1 ? "1 value" : `${size} values`}`
      if (!isWanted(name)) continue
      const [own, other] = await compare([ours, theirs], { now: cpuMs })
      if (own === undefined || other === undefined) throw new TypeError("Each contender has a result")
      results.push({ name, figure: own.microseconds * size, ratio: other.ratio })
    }
  }
  return results
}

/** The CPU time of this process. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}
