/** The largest answer of a Nitro Security Module, `NSM_RESPONSE_MAX_SIZE` in aws-nitro-enclaves-nsm-api. */
export const MAX_ATTESTATION_BYTES = 12_288

/** How old an attestation may be. */
export const MAX_ATTESTATION_AGE_MS = 5 * 60_000

/** Bytes of SHA-384, the only digest that Nitro Enclaves measure with. */
export const PCR_BYTES = 48
