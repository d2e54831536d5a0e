import { idParameter } from "@sealway/http"
import { type DataSubject, SUBJECT_STATUSES } from "@sealway/keys"
import * as z from "zod"

export const dataSubjectSchema = z
  .object({
    id: z.string().describe("Random. The tokens of the data subject show it, and nothing else about it"),
    status: z
      .enum(SUBJECT_STATUSES)
      .describe(
        "`active`: values are encrypted and decrypted. `pending`: neither, until the erasure is undone. `erased`: the key is destroyed, so that nothing can be decrypted any more",
      ),
    createdAt: z.int().describe("Epoch milliseconds"),
    requestedAt: z.int().nullable().describe("When the erasure was asked for, in epoch milliseconds"),
    eraseAt: z.int().nullable().describe("When the undo window ends, in epoch milliseconds"),
    erasedAt: z.int().nullable().describe("When the key was destroyed, in epoch milliseconds"),
  })
  .meta({ id: "DataSubject" })

export const dataSubjectPathSchema = z.object({
  data_subject_id: idParameter("data_subject", "Id of the data subject"),
})

/** Returns a data subject as callers see it. */
export function showDataSubject({
  id,
  status,
  createdAt,
  requestedAt,
  eraseAt,
  erasedAt,
}: DataSubject): z.infer<typeof dataSubjectSchema> {
  return { id, status, createdAt, requestedAt, eraseAt, erasedAt }
}
