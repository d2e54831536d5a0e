import * as z from "zod"
import type { DeadLetterQueueName, QueueName } from "../ports/queues.ts"
import { runTimeTags } from "./resource-tags.ts"

/**
 * The server in front of the handlers, which decides how large a body may be: `api-gateway` is API Gateway and Lambda,
 * `container` is one long-running Node.js server.
 */
export type Hosting = "api-gateway" | "container"

/** The AWS services that are called, by their IAM names. */
export type AwsService = "dynamodb" | "kms" | "sqs" | "lambda" | "s3" | "logs" | "cloudfront"

export interface Configuration {
  readonly region: string
  readonly hosting: Hosting
  /**
   * Where browsers and networks reach the API: `https://api.example.com`. What is handed out to them leads there, whatever
   * a request says. Null: where each request says that it reached the API.
   */
  readonly apiOrigin: string | null
  /**
   * Where the browsers of members reach the API: `https://dashboard.example.com/api`. Sessions are accepted from pages of
   * its origin only. Null: `apiOrigin`, or where each request says that it reached the API.
   */
  readonly dashboardApiUrl: string | null
  /**
   * SHA-256, hex, of the secret by which CloudFront shows that a request came through it, at the dashboard's address. Null:
   * none does.
   */
  readonly dashboardOriginHash: string | null
  /** How members sign in. */
  readonly signIn: SignInConfiguration
  /** The DynamoDB table of what is set up, see `CONFIG_TABLE`. */
  readonly configTable: string
  /** The DynamoDB table of keys, see `KEYS_TABLE`. */
  readonly keysTable: string
  /** The DynamoDB table of the audit log, see `AUDIT_TABLE`. */
  readonly auditTable: string
  /** The name of the function that writes to it. Null: each process does. */
  readonly auditWriter: string | null
  /** The DynamoDB table of events, see `EVENTS_TABLE`. */
  readonly eventsTable: string
  /** The DynamoDB table of function runs, see `RUNS_TABLE`; null in processes that do not use it. */
  readonly runsTable: string | null
  /** The DynamoDB table of payments, see `PAYMENTS_TABLE`; null in processes that do not use it. */
  readonly paymentsTable: string | null
  /** URLs of the queues that this process sends to. */
  readonly queueUrls: ReadonlyMap<QueueName | DeadLetterQueueName, string>
  /** Id, ARN or alias of the stage's KMS key. */
  readonly kmsKeyId: string
  /** The tags of the keys that the service creates in KMS, see `runTimeTags`. */
  readonly keyTags: Readonly<Record<string, string>>
  /**
   * SHA-256 of the root certificate that attestations of enclaves lead to, in lower-case hexadecimal. Null: that of AWS.
   * Another one is for tests: whoever has its key can attest anything.
   */
  readonly enclaveRoot: string | null
  /** Whether webhooks and other outgoing calls may go to private and loopback addresses. */
  readonly allowPrivateDestinations: boolean
  /**
   * Where successful decryptions are recorded. `log`: in the log of the process, from where a subscription moves them
   * to the table. `table`: in `eventsTable`, once a second, by long-running processes.
   */
  readonly accessLog: "log" | "table"
  /** How many days access records are kept that are written from now on; null: for good. */
  readonly accessLogDays: number | null
  /** Whether the process is a Lambda function, which does not run between its requests. */
  readonly isFrozenBetweenRequests: boolean
  /**
   * Names this process where no two at a time answer requests of the API: a request that another one began has died with
   * it. Null where there are several.
   */
  readonly lockHolder: string | null
  readonly logLevel: "DEBUG" | "INFO" | "WARN" | "ERROR"
  /** The stage whose metrics this process writes to its log, for CloudWatch. Null: it writes none. */
  readonly metricsStage: string | null
  /** The endpoint of an AWS service, if not its usual one. */
  readonly endpoints: Readonly<Record<AwsService, string | undefined>>
  /** Where customers' functions are deployed; null in processes that do not use it. */
  readonly functions: FunctionConfiguration | null
  /** Where relays are served; null in processes that do not use it. */
  readonly relay: RelayConfiguration | null
  /** Where files are stored; null in processes that do not use it. */
  readonly files: FileConfiguration | null
}

/** Ten years. */
const MAX_ACCESS_LOG_DAYS = 3_650

export interface FileConfiguration {
  /** The S3 bucket with sealed files. */
  readonly bucket: string
  /**
   * The path of the service under which clients reach the storage: `/storage`. Null where they reach it themselves, by the
   * addresses that are signed.
   */
  readonly storagePath: string | null
}

export interface SignInConfiguration {
  /** Whether a team key can create links that sign in as owner: on one machine, where whoever holds the key is the owner. */
  readonly links: boolean
  /** The provider of OpenID Connect; null for none. */
  readonly provider: IdentityProviderConfiguration | null
  /** Whether the dashboard is served, at `/dashboard` of the origin where browsers reach the API. */
  readonly hasDashboard: boolean
}

export interface IdentityProviderConfiguration {
  /** `https://login.example.com`, as the provider's own metadata spells it. */
  readonly issuer: string
  readonly clientId: string
  /** Null for a public client, which proves itself by PKCE alone. */
  readonly clientSecret: string | null
}

export interface FunctionConfiguration {
  /** The bucket with their code. */
  readonly codeBucket: string
  /** How many of their runs may be in progress at once: per app and per stage. */
  readonly runLimits: { readonly perApp: number; readonly perStage: number }
  /** How they become functions of Lambda; null where they do not. */
  readonly lambda: LambdaHostConfiguration | null
}

export interface LambdaHostConfiguration {
  /** The prefix of the functions' names: up to 24 characters, which a role's permissions can refer to. */
  readonly prefix: string
  /** The ARN of their execution role, which only lets a function write to its own log group. */
  readonly roleArn: string
  /** How many days their log lines are kept: one of the periods that CloudWatch Logs offers. */
  readonly logRetentionDays: number
  /** The ARN of the KMS key that encrypts their log groups; null when CloudWatch Logs uses its own key. */
  readonly logKeyArn: string | null
  /** The tags of functions and their log groups, see `runTimeTags`. The groups also get `LOG_OWNER_TAG`. */
  readonly tags: Readonly<Record<string, string>>
}

export interface RelayConfiguration {
  /** The suffix of relays' own domains: `relay.example.com`. */
  readonly domain: string
  /** The target of customers' CNAME records. */
  readonly customDomainTarget: string
  /** `host:port` of the DNS servers that are asked about custom domains. Empty: the system's. */
  readonly dnsServers: readonly string[]
  /** The CloudFront distribution in which each domain becomes a tenant; null when domains are served directly. */
  readonly edge: RelayEdgeConfiguration | null
}

export interface RelayEdgeConfiguration {
  readonly distributionId: string
  readonly connectionGroupId: string
  /** The label before the relays' domain for clients that ask for this region; null when it has no label. */
  readonly regionLabel: "us" | "eu" | null
  /** The tags of the tenants, see `runTimeTags`. */
  readonly tags: Readonly<Record<string, string>>
}

const count = (byDefault: number) =>
  z
    .stringFormat("count", /^[1-9][0-9]{0,6}$/)
    .transform(Number)
    .default(byDefault)

const originSchema = z
  .string()
  .refine((text) => /^https?:/.test(text) && URL.parse(text)?.origin === text, {
    message: "This must be an origin, such as https://api.example.com",
  })

const httpUrlSchema = (example: string) =>
  z.string().refine(
    (text) => {
      const url = URL.parse(text)
      return (
        url !== null &&
        /^https?:$/.test(url.protocol) &&
        url.username + url.password + url.search + url.hash === "" &&
        (url.href === text || url.href === `${text}/`)
      )
    },
    { message: `This must be a URL without query, such as ${example}` },
  )

// Shared: to make a schema takes longer than to check a variable.
const textSchema = z.string().min(1)
const optionalTextSchema = textSchema.optional()
const optionalUrlSchema = z.url().optional()
const optionalHostSchema = z.hostname().optional()
const stageSchema = textSchema.max(20).optional()
const sha256Schema = z.stringFormat("sha256", /^[0-9a-f]{64}$/).optional()
const switchSchema = z.enum(["true", "false"]).default("false")

const environmentSchema = z.object({
  AWS_REGION: textSchema,
  AWS_LAMBDA_FUNCTION_NAME: z.string().optional(),
  SEALWAY_STAGE: stageSchema,
  SEALWAY_API_ORIGIN: originSchema.optional(),
  SEALWAY_DASHBOARD_API_URL: httpUrlSchema("https://dashboard.example.com/api").optional(),
  SEALWAY_DASHBOARD_ORIGIN_SHA256: sha256Schema,
  SEALWAY_SIGN_IN_LINKS: switchSchema,
  SEALWAY_OIDC_ISSUER: httpUrlSchema("https://login.example.com").optional(),
  SEALWAY_OIDC_CLIENT_ID: optionalTextSchema,
  SEALWAY_OIDC_CLIENT_SECRET: optionalTextSchema,
  SEALWAY_HOSTING: z.enum(["api-gateway", "container"]).default("api-gateway"),
  SEALWAY_CONFIG_TABLE: textSchema,
  SEALWAY_KEYS_TABLE: textSchema,
  SEALWAY_AUDIT_TABLE: textSchema,
  SEALWAY_AUDIT_WRITER: optionalTextSchema,
  SEALWAY_EVENTS_TABLE: textSchema,
  SEALWAY_RUNS_TABLE: optionalTextSchema,
  SEALWAY_PAYMENTS_TABLE: optionalTextSchema,
  SEALWAY_EVENTS_QUEUE_URL: optionalUrlSchema,
  SEALWAY_EVENTS_DEAD_LETTERS_QUEUE_URL: optionalUrlSchema,
  SEALWAY_SLOW_EVENTS_QUEUE_URL: optionalUrlSchema,
  SEALWAY_ACCESS_RECORDS_QUEUE_URL: optionalUrlSchema,
  SEALWAY_ENROLMENTS_QUEUE_URL: optionalUrlSchema,
  SEALWAY_CARD_CHECKS_QUEUE_URL: optionalUrlSchema,
  SEALWAY_FUNCTION_RUNS_QUEUE_URL: optionalUrlSchema,
  SEALWAY_FUNCTION_RUNS_DEAD_LETTERS_QUEUE_URL: optionalUrlSchema,
  SEALWAY_FUNCTION_PREFIX: z.string().min(1).max(24).optional(),
  SEALWAY_FUNCTION_ROLE_ARN: optionalTextSchema,
  SEALWAY_FUNCTION_CODE_BUCKET: optionalTextSchema,
  SEALWAY_FILE_BUCKET: optionalTextSchema,
  SEALWAY_FILE_STORAGE_PATH: z
    .string()
    .regex(/^\/[a-z-]+$/)
    .optional(),
  SEALWAY_FUNCTION_LOG_RETENTION_DAYS: count(14),
  SEALWAY_FUNCTION_LOG_KEY_ARN: optionalTextSchema,
  SEALWAY_FUNCTION_RUNS_PER_APP: count(20),
  SEALWAY_FUNCTION_RUNS_PER_STAGE: count(50),
  SEALWAY_RELAY_DOMAIN: optionalHostSchema,
  SEALWAY_RELAY_CUSTOM_DOMAIN_TARGET: optionalHostSchema,
  SEALWAY_RELAY_DNS_SERVERS: z.string().default(""),
  SEALWAY_RELAY_DISTRIBUTION_ID: optionalTextSchema,
  SEALWAY_RELAY_CONNECTION_GROUP_ID: optionalTextSchema,
  SEALWAY_RELAY_REGION_LABEL: z.enum(["us", "eu"]).optional(),
  SEALWAY_ENCLAVE_ROOT: sha256Schema,
  SEALWAY_ALLOW_PRIVATE_DESTINATIONS: switchSchema,
  SEALWAY_KMS_KEY_ID: textSchema,
  SEALWAY_ACCESS_LOG: z.enum(["log", "table"]).default("log"),
  SEALWAY_ACCESS_LOG_DAYS: z.coerce.number().pipe(z.int().min(1).max(MAX_ACCESS_LOG_DAYS)).optional(),
  SEALWAY_METRICS_STAGE: stageSchema,
  SEALWAY_LOG_LEVEL: z.enum(["DEBUG", "INFO", "WARN", "ERROR"]).default("INFO"),
  AWS_ENDPOINT_URL: optionalUrlSchema,
  AWS_ENDPOINT_URL_DYNAMODB: optionalUrlSchema,
  AWS_ENDPOINT_URL_KMS: optionalUrlSchema,
  AWS_ENDPOINT_URL_SQS: optionalUrlSchema,
  AWS_ENDPOINT_URL_LAMBDA: optionalUrlSchema,
  AWS_ENDPOINT_URL_S3: optionalUrlSchema,
  AWS_ENDPOINT_URL_CLOUDWATCH_LOGS: optionalUrlSchema,
  AWS_ENDPOINT_URL_CLOUDFRONT: optionalUrlSchema,
})

/**
 * Reads the configuration from environment variables. Call it once, where a process starts.
 *
 * @throws Error naming every variable that is missing or malformed
 */
export function parseConfiguration(environment: Readonly<Record<string, string | undefined>>): Configuration {
  // Compiling a check pays off only for schemas that check often.
  const parsed = environmentSchema.safeParse(environment, { jitless: true })
  if (!parsed.success) {
    const problems = parsed.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`)
    throw new Error(`The configuration is invalid: ${problems.join("; ")}`)
  }
  const variables = parsed.data
  const queueUrls = new Map<QueueName | DeadLetterQueueName, string>()
  const name = (queue: QueueName | DeadLetterQueueName, url: string | undefined) =>
    url && queueUrls.set(queue, url)
  name("events", variables.SEALWAY_EVENTS_QUEUE_URL)
  name("events-dead-letters", variables.SEALWAY_EVENTS_DEAD_LETTERS_QUEUE_URL)
  name("slow-events", variables.SEALWAY_SLOW_EVENTS_QUEUE_URL)
  name("access-records", variables.SEALWAY_ACCESS_RECORDS_QUEUE_URL)
  name("enrolments", variables.SEALWAY_ENROLMENTS_QUEUE_URL)
  name("card-checks", variables.SEALWAY_CARD_CHECKS_QUEUE_URL)
  name("function-runs", variables.SEALWAY_FUNCTION_RUNS_QUEUE_URL)
  name("function-runs-dead-letters", variables.SEALWAY_FUNCTION_RUNS_DEAD_LETTERS_QUEUE_URL)
  return {
    region: variables.AWS_REGION,
    hosting: variables.SEALWAY_HOSTING,
    apiOrigin: variables.SEALWAY_API_ORIGIN ?? null,
    dashboardApiUrl: variables.SEALWAY_DASHBOARD_API_URL?.replace(/\/$/, "") ?? null,
    dashboardOriginHash: variables.SEALWAY_DASHBOARD_ORIGIN_SHA256 ?? null,
    signIn: signInOf(variables),
    configTable: variables.SEALWAY_CONFIG_TABLE,
    keysTable: variables.SEALWAY_KEYS_TABLE,
    auditTable: variables.SEALWAY_AUDIT_TABLE,
    auditWriter: variables.SEALWAY_AUDIT_WRITER ?? null,
    eventsTable: variables.SEALWAY_EVENTS_TABLE,
    runsTable: variables.SEALWAY_RUNS_TABLE ?? null,
    paymentsTable: variables.SEALWAY_PAYMENTS_TABLE ?? null,
    queueUrls,
    enclaveRoot: variables.SEALWAY_ENCLAVE_ROOT ?? null,
    allowPrivateDestinations: variables.SEALWAY_ALLOW_PRIVATE_DESTINATIONS === "true",
    kmsKeyId: variables.SEALWAY_KMS_KEY_ID,
    keyTags: runTimeTags(variables.SEALWAY_STAGE ?? null),
    accessLog: variables.SEALWAY_ACCESS_LOG,
    accessLogDays: variables.SEALWAY_ACCESS_LOG_DAYS ?? null,
    lockHolder: null,
    isFrozenBetweenRequests: variables.AWS_LAMBDA_FUNCTION_NAME !== undefined,
    logLevel: variables.SEALWAY_LOG_LEVEL,
    metricsStage: variables.SEALWAY_METRICS_STAGE ?? null,
    endpoints: {
      dynamodb: variables.AWS_ENDPOINT_URL_DYNAMODB ?? variables.AWS_ENDPOINT_URL,
      kms: variables.AWS_ENDPOINT_URL_KMS ?? variables.AWS_ENDPOINT_URL,
      sqs: variables.AWS_ENDPOINT_URL_SQS ?? variables.AWS_ENDPOINT_URL,
      lambda: variables.AWS_ENDPOINT_URL_LAMBDA ?? variables.AWS_ENDPOINT_URL,
      s3: variables.AWS_ENDPOINT_URL_S3 ?? variables.AWS_ENDPOINT_URL,
      logs: variables.AWS_ENDPOINT_URL_CLOUDWATCH_LOGS ?? variables.AWS_ENDPOINT_URL,
      cloudfront: variables.AWS_ENDPOINT_URL_CLOUDFRONT ?? variables.AWS_ENDPOINT_URL,
    },
    functions: functionsOf(variables),
    relay: relayOf(variables),
    files: filesOf(variables),
  }
}

function signInOf(variables: z.infer<typeof environmentSchema>): SignInConfiguration {
  const issuer = variables.SEALWAY_OIDC_ISSUER
  const clientId = variables.SEALWAY_OIDC_CLIENT_ID
  const clientSecret = variables.SEALWAY_OIDC_CLIENT_SECRET ?? null
  const provider = issuer === undefined || clientId === undefined ? null : { issuer, clientId, clientSecret }
  const links = variables.SEALWAY_SIGN_IN_LINKS === "true"
  // It comes with the service on one machine, and in the cloud from the origin that this variable names.
  return { links, provider, hasDashboard: links || variables.SEALWAY_DASHBOARD_API_URL !== undefined }
}

function functionsOf(variables: z.infer<typeof environmentSchema>): FunctionConfiguration | null {
  const codeBucket = variables.SEALWAY_FUNCTION_CODE_BUCKET
  if (codeBucket === undefined) return null
  return {
    codeBucket,
    runLimits: {
      perApp: variables.SEALWAY_FUNCTION_RUNS_PER_APP,
      perStage: variables.SEALWAY_FUNCTION_RUNS_PER_STAGE,
    },
    lambda: lambdaHostOf(variables),
  }
}

function lambdaHostOf(variables: z.infer<typeof environmentSchema>): LambdaHostConfiguration | null {
  const prefix = variables.SEALWAY_FUNCTION_PREFIX
  const roleArn = variables.SEALWAY_FUNCTION_ROLE_ARN
  if (prefix === undefined || roleArn === undefined) return null
  return {
    prefix,
    roleArn,
    logRetentionDays: variables.SEALWAY_FUNCTION_LOG_RETENTION_DAYS,
    logKeyArn: variables.SEALWAY_FUNCTION_LOG_KEY_ARN ?? null,
    tags: runTimeTags(variables.SEALWAY_STAGE ?? null),
  }
}

function filesOf(variables: z.infer<typeof environmentSchema>): FileConfiguration | null {
  const { SEALWAY_FILE_BUCKET: bucket, SEALWAY_FILE_STORAGE_PATH: storagePath = null } = variables
  return bucket === undefined ? null : { bucket, storagePath }
}

function relayOf(variables: z.infer<typeof environmentSchema>): RelayConfiguration | null {
  const domain = variables.SEALWAY_RELAY_DOMAIN
  const distributionId = variables.SEALWAY_RELAY_DISTRIBUTION_ID
  const connectionGroupId = variables.SEALWAY_RELAY_CONNECTION_GROUP_ID
  if (domain === undefined) return null
  return {
    domain,
    customDomainTarget: variables.SEALWAY_RELAY_CUSTOM_DOMAIN_TARGET ?? domain,
    dnsServers: variables.SEALWAY_RELAY_DNS_SERVERS.split(",").filter((server) => server !== ""),
    edge:
      distributionId === undefined || connectionGroupId === undefined
        ? null
        : {
            distributionId,
            connectionGroupId,
            regionLabel: variables.SEALWAY_RELAY_REGION_LABEL ?? null,
            tags: runTimeTags(variables.SEALWAY_STAGE ?? null),
          },
  }
}
