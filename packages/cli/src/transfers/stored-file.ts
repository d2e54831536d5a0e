import * as z from "zod"

/** A file as the service shows it. */
export const storedFileSchema = z.object({
  id: z.string(),
  name: z.string().nullable(),
  contentType: z.string(),
  role: z.string().nullable(),
  size: z.number(),
  status: z.string(),
  upload: z
    .object({
      chunkBytes: z.number(),
      partBytes: z.number(),
      parts: z.number(),
      sealing: z.string().default("public-key"),
    })
    .nullable(),
  createdAt: z.number(),
})

export type StoredFile = z.infer<typeof storedFileSchema>
