import * as z from "zod"

export const propertiesSchema = z.record(z.string(), z.unknown())

const resourceSchema = z.object({
  Type: z.string(),
  Properties: propertiesSchema.default({}),
  DeletionPolicy: z.string().optional(),
  UpdateReplacePolicy: z.string().optional(),
})

/** A synthesized stack, as far as tests read it. */
export const templateSchema = z.object({
  Resources: z.record(z.string(), resourceSchema),
  Outputs: z
    .record(z.string(), z.object({ Value: z.unknown(), Export: z.object({ Name: z.string() }).optional() }))
    .default({}),
  Parameters: z.record(z.string(), z.unknown()).default({}),
})

export type StackTemplate = z.infer<typeof templateSchema>
