import * as z from "zod"

/**
 * What stands in front of the handlers, which decides how large a body may be: `api-gateway` is API Gateway and
 * Lambda, `container` is one long-running Node.js server.
 */
export type Hosting = "api-gateway" | "container"

export interface Configuration {
  readonly region: string
  readonly hosting: Hosting
  /** The DynamoDB table with teams, apps, keys and roles. */
  readonly configTable: string
  /** Id, ARN or alias of the stage's KMS key. */
  readonly kmsKeyId: string
  readonly logLevel: "DEBUG" | "INFO" | "WARN" | "ERROR"
  /** Where an AWS service is, when not at its usual place. */
  readonly endpoints: { readonly dynamodb?: string | undefined; readonly kms?: string | undefined }
}

const environmentSchema = z.object({
  AWS_REGION: z.string().min(1),
  SEALWAY_HOSTING: z.enum(["api-gateway", "container"]).default("api-gateway"),
  SEALWAY_CONFIG_TABLE: z.string().min(1),
  SEALWAY_KMS_KEY_ID: z.string().min(1),
  SEALWAY_LOG_LEVEL: z.enum(["DEBUG", "INFO", "WARN", "ERROR"]).default("INFO"),
  AWS_ENDPOINT_URL_DYNAMODB: z.url().optional(),
  AWS_ENDPOINT_URL_KMS: z.url().optional(),
})

/**
 * Reads the configuration from environment variables, once, where a process starts.
 *
 * @throws Error naming every variable that is missing or malformed
 */
export function parseConfiguration(environment: Readonly<Record<string, string | undefined>>): Configuration {
  const parsed = environmentSchema.safeParse(environment)
  if (!parsed.success) {
    const problems = parsed.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`)
    throw new Error(`The configuration is not usable: ${problems.join("; ")}`)
  }
  const variables = parsed.data
  return {
    region: variables.AWS_REGION,
    hosting: variables.SEALWAY_HOSTING,
    configTable: variables.SEALWAY_CONFIG_TABLE,
    kmsKeyId: variables.SEALWAY_KMS_KEY_ID,
    logLevel: variables.SEALWAY_LOG_LEVEL,
    endpoints: { dynamodb: variables.AWS_ENDPOINT_URL_DYNAMODB, kms: variables.AWS_ENDPOINT_URL_KMS },
  }
}
