import * as z from "zod"

/**
 * The fields that are read of the files of a cloud assembly; the rest is for the CDK's own tools. Source:
 * `cloud-assembly-schema` of the AWS CDK.
 */
export const manifestSchema = z.object({
  artifacts: z.record(
    z.string(),
    z.object({
      type: z.string(),
      environment: z.string().optional(),
      properties: z.record(z.string(), z.unknown()).default({}),
      dependencies: z.array(z.string()).default([]),
    }),
  ),
})

export type Artifact = z.infer<typeof manifestSchema>["artifacts"][string]

export const stackPropertiesSchema = z.object({
  templateFile: z.string(),
  /** Absent where it is the stack's id. */
  stackName: z.string().optional(),
  stackTemplateAssetObjectUrl: z.string(),
  tags: z.record(z.string(), z.string()).default({}),
  terminationProtection: z.boolean().default(false),
})

export const assetFilePropertiesSchema = z.object({ file: z.string() })

export const assetsSchema = z.object({
  files: z
    .record(
      z.string(),
      z.object({
        displayName: z.string().optional(),
        source: z.object({ path: z.string().optional(), packaging: z.enum(["file", "zip"]).default("file") }),
        destinations: z.record(z.string(), z.object({ bucketName: z.string(), objectKey: z.string() })),
      }),
    )
    .default({}),
  dockerImages: z.record(z.string(), z.object({ displayName: z.string().optional() })).default({}),
})

/** `uploads.json`, which `stacks/synth.ts` writes beside an assembly. */
export const uploadsSchema = z.array(
  z.object({
    stackName: z.string(),
    bucketOutput: z.string(),
    files: z.array(
      z.object({ key: z.string(), path: z.string(), contentType: z.string(), cacheControl: z.string() }),
    ),
  }),
)

export const templateSchema = z.object({
  Parameters: z.record(z.string(), z.object({ Default: z.unknown().optional() })).default({}),
  Outputs: z.record(z.string(), z.unknown()).default({}),
})
