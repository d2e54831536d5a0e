import { equalInConstantTime } from "@sealway/kernel"
import { PCR_BYTES } from "./limits.ts"

/** The PCRs that say which image runs: all of it, its kernel and boot, its application; and who has signed it. */
export const IMAGE_PCRS = ["pcr0", "pcr1", "pcr2", "pcr8"] as const

/** PCRs of an enclave, SHA-384 in lower-case hexadecimal. One that measures nothing is absent. */
export type Pcrs = Readonly<Partial<Record<(typeof IMAGE_PCRS)[number], string>>>

const NOTHING = Buffer.alloc(PCR_BYTES)

/**
 * Returns the PCRs that policies know. A PCR of zeros measures nothing: PCR8 of an image that nobody has signed, or all
 * of an enclave in debug mode. It is left out, so that nothing can match it.
 */
export function imagePcrs(pcrs: ReadonlyMap<number, Uint8Array>): Pcrs {
  const measured = IMAGE_PCRS.flatMap((name) => {
    const pcr = pcrs.get(Number(name.slice("pcr".length)))
    if (pcr === undefined || equalInConstantTime(pcr, NOTHING)) return []
    return [[name, Buffer.from(pcr).toString("hex")] as const]
  })
  return Object.fromEntries(measured)
}

/** Whether PCRs have all expected values, of which there must be one. Compares in constant time. */
export function matchesPcrs(
  pcrs: Pcrs,
  expected: { readonly [Name in keyof Pcrs]: Pcrs[Name] | undefined },
): boolean {
  const names = IMAGE_PCRS.filter((name) => expected[name] !== undefined)
  const equal = names.map((name) => {
    const [pcr, wanted] = [pcrs[name], expected[name]]
    return pcr !== undefined && wanted !== undefined && equalInConstantTime(pcr, wanted.toLowerCase())
  })
  return equal.length > 0 && equal.every(Boolean)
}
