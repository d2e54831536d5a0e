import * as z from "zod"
import type { DataRole } from "../rules/data-role.ts"
import { maskSchema } from "../rules/mask-schema.ts"
import { accessLogSchema, descriptionSchema, nameSchema, slugSchema } from "../rules/policy-input.ts"

export const MAX_ROLE_BYTES = 8 * 1024

export const roleSchema = z
  .object({
    id: z.string(),
    slug: slugSchema,
    name: nameSchema,
    description: descriptionSchema,
    archived: z.boolean().describe("Whether the role is archived and can no longer encrypt values"),
    accessLog: accessLogSchema,
    mask: maskSchema.nullable().describe("How values look masked. Null: they are never masked"),
    usedAt: z
      .int()
      .nullable()
      .describe("First use, in epoch milliseconds; null while the role can still be deleted"),
    createdAt: z.int().describe("Epoch milliseconds"),
    updatedAt: z.int().describe("Epoch milliseconds"),
  })
  .meta({ id: "DataRole" })

export const rolePathSchema = z.object({
  role_id: z.string().max(64).describe("Id or slug of the data role"),
})

export function showRole(role: DataRole): z.infer<typeof roleSchema> {
  const { id, slug, name, description, archived, accessLog, mask, usedAt, createdAt, updatedAt } = role
  return { id, slug, name, description, archived, accessLog, mask, usedAt, createdAt, updatedAt }
}
