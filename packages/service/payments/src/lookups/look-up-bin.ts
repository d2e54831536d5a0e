import type { App } from "@sealway/accounts"
import { type BinMatch, MAX_BIN_DIGITS, matchTestNumber } from "@sealway/bins"
import type { EnrolmentDependencies } from "../enrolments/enrolled-kind.ts"

export type LookUpDependencies = Pick<EnrolmentDependencies, "binData" | "cardNetworkOf">

/**
 * Looks up the numbers that start with some digits: in the team's active table; without one, at the connector of a
 * production app, which receives at most ten digits, and in a sandbox app among the published test numbers.
 *
 * @param digits 6 or more
 * @returns null when no range is known
 * @throws ApiError `service-unavailable` when a production app has neither, or the connector does not answer
 */
export async function lookUpBin(
  { binData, cardNetworkOf }: LookUpDependencies,
  app: App,
  digits: string,
): Promise<BinMatch | null> {
  return binData.lookUp(app.teamId, digits, async () => {
    if (app.environment === "sandbox") return matchTestNumber(digits)
    const number = digits.slice(0, MAX_BIN_DIGITS)
    const { range } = await cardNetworkOf(app).bin({ number })
    if (range === null) return null
    const { matchPrecision, ...facts } = range
    return { facts, matchPrecision: Math.min(matchPrecision, number.length) }
  })
}
