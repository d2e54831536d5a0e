/** Regions outside of the partition whose names end with `amazonaws.com`, by the beginning of their names. */
const SUFFIXES: readonly (readonly [prefix: string, suffix: string])[] = [
  ["cn-", "amazonaws.com.cn"],
  ["eusc-", "amazonaws.eu"],
  ["us-iso-", "c2s.ic.gov"],
  ["us-isob-", "sc2s.sgov.gov"],
  ["eu-isoe-", "cloud.adc-e.uk"],
  ["us-isof-", "csp.hci.ic.gov"],
]

/** Returns where a service of AWS is reached in a region, as the SDK does by default. */
export function regionalEndpoint(service: string, region: string): URL {
  const suffix = SUFFIXES.find(([prefix]) => region.startsWith(prefix))?.[1] ?? "amazonaws.com"
  return new URL(`https://${service}.${region}.${suffix}`)
}
