import type { DataPolicy, Enclave } from "@sealway/sdk/api"

export type Pcrs = Enclave["pcrs"]

/** The PCRs that a registration can have, and what each measures. */
export const PCRS = [
  { name: "pcr0", measures: "the whole image" },
  { name: "pcr8", measures: "the certificate that has signed the image" },
  { name: "pcr1", measures: "the kernel and how it boots" },
  { name: "pcr2", measures: "the application" },
] as const

/**
 * Says whether a policy names PCRs of which none differs from those of a registration. What it decides for an enclave
 * also depends on its other conditions, and on PCRs that only the enclave's attestation has. Policies in Cedar are not
 * read.
 */
export function namesPcrsOf(
  { pcrs }: Pick<Enclave, "pcrs">,
  { conditions }: Pick<DataPolicy, "conditions">,
): boolean {
  const named = conditions?.enclavePcrs ?? {}
  const both = PCRS.filter(({ name }) => named[name] !== undefined && pcrs[name] !== undefined)
  return both.length > 0 && both.every(({ name }) => named[name] === pcrs[name])
}

/** Returns what a policy must name of a registration: its image, or else its signer. */
export const namingPcrsOf = ({ pcrs: { pcr0, pcr8 } }: Pick<Enclave, "pcrs">): Pick<Pcrs, "pcr0" | "pcr8"> =>
  pcr0 === undefined ? { ...(pcr8 !== undefined && { pcr8 }) } : { pcr0 }

/** Shortens a PCR to what people compare: its first and its last 8 digits. */
export const shortPcr = (pcr: string): string => `${pcr.slice(0, 8)}…${pcr.slice(-8)}`
