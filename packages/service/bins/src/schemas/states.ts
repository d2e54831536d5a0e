/** ISO 3166-2: the subdivisions of countries whose issuers compare them with their own list. */
const CODES = {
  us:
    "al ak az ar ca co ct de fl ga hi id il in ia ks ky la me md ma mi mn ms mo mt ne nv nh nj nm ny nc nd oh ok or pa ri sc " +
    "sd tn tx ut vt va wa wv wi wy dc as gu mp pr um vi",
  ca: "ab bc mb nb nl ns nt nu on pe qc sk yt",
  au: "act nsw nt qld sa tas vic wa",
} as const

/** The codes of armed forces' addresses in the post of the USA. ISO 3166-2 does not have them. */
const ARMED_FORCES: ReadonlySet<string> = new Set(["aa", "ae", "ap"])

const STATES: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries(CODES).map(([country, codes]) => [country, new Set(codes.split(" "))]),
)

/** Whether an address in a country needs its state. */
export const hasStates = (country: string): boolean => STATES.has(country)

/** Whether a state is one of a country's in ISO 3166-2; any is one of a country without a list here. Both in lower case. */
export function isState(country: string, state: string): boolean {
  return STATES.get(country)?.has(state) ?? true
}

/** Whether an address may have a state. */
export function isPostalState(country: string, state: string): boolean {
  return isState(country, state) || (country === "us" && ARMED_FORCES.has(state))
}
