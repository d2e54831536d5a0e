import * as z from "zod"

/** A file as the service shows it. */
export const storedFileSchema = z.object({
  id: z.string(),
  name: z.string().nullable(),
  contentType: z.string(),
  role: z.string().nullable(),
  size: z.number(),
  status: z.string(),
  upload: z.object({ chunkBytes: z.number(), partBytes: z.number(), parts: z.number() }).nullable(),
  createdAt: z.number(),
})

export type StoredFile = z.infer<typeof storedFileSchema>

/** Shows a number of bytes as people write it. */
export function formatBytes(bytes: number): string {
  const units = ["bytes", "KiB", "MiB", "GiB"]
  const power = Math.min(units.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10))
  return `${power === 0 ? bytes : (bytes / 1024 ** power).toFixed(1)} ${units[power]}`
}
