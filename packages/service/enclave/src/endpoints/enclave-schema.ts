import { idParameter } from "@sealway/http"
import { ONE_LINE, ONE_LINE_RULE } from "@sealway/kernel"
import { enclavePcrsSchema, namesImage } from "@sealway/policies"
import * as z from "zod"
import type { EnclaveRegistration } from "../records/enclave-table.ts"

export const MAX_ENCLAVE_BYTES = 4 * 1024

const nameSchema = z.string().min(1).max(100).regex(ONE_LINE, ONE_LINE_RULE)

/** Zeros measure nothing: enclaves in debug mode and unsigned images have them. */
const isNoZero = (pcrs: Readonly<Record<string, string | undefined>>) =>
  Object.values(pcrs).every((pcr) => pcr === undefined || !/^0{96}$/.test(pcr))

export const enclaveInputSchema = z
  .strictObject({
    name: nameSchema,
    pcrs: enclavePcrsSchema
      .refine(namesImage, "Name an image: pcr0, or pcr8 for all images of a signer")
      .refine(
        isNoZero,
        "A PCR of zeros measures nothing: the enclave runs in debug mode, or its image is not signed",
      ),
  })
  .meta({ id: "EnclaveInput" })

export const enclaveSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    pcrs: enclavePcrsSchema,
    createdAt: z.int().describe("Epoch milliseconds"),
  })
  .meta({ id: "Enclave" })

export const enclavePathSchema = z.object({ enclave_id: idParameter("enclave", "Id of the registration") })

export function showEnclave({
  id,
  name,
  pcrs,
  createdAt,
}: EnclaveRegistration): z.infer<typeof enclaveSchema> {
  return { id, name, pcrs, createdAt }
}
