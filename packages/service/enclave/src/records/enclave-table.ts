import { enclavePcrsSchema } from "@sealway/policies"
import { type RecordOf, recordsOf } from "@sealway/ports"
import * as z from "zod"

const registrationSchema = z.object({
  /** `enclave_…` */
  id: z.string(),
  name: z.string(),
  /** What the attestation of an enclave must say for the app to let it in. At least one is there. */
  pcrs: enclavePcrsSchema,
  /** Epoch milliseconds. */
  createdAt: z.number(),
  revision: z.number(),
})

/** An image, or all images of a signer, whose enclaves an app lets in without an API key. */
export type EnclaveRegistration = RecordOf<typeof registrationSchema>

export const enclaveRecords = recordsOf<EnclaveRegistration, "id">({
  prefix: "enclave#",
  schema: registrationSchema,
  nameOf: ({ id }) => id,
})
