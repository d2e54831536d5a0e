/** A name of the stage's own, instead of API Gateway's. */
export interface StageDomain {
  /** `api.example.com`. Its record in DNS is yours to make: the output `DomainTarget` says where it must point. */
  readonly name: string
  /** The ARN of an issued ACM certificate for it, in the stage's region. */
  readonly certificateArn: string
}

/** How often the API as a whole may be called, before API Gateway answers 429 by itself. */
export interface Throttling {
  readonly requestsPerSecond: number
  /** Requests that may come at once. */
  readonly burst: number
}

/** What may differ between stages. Nothing here is looked up: a stage's stacks follow from this and the code alone. */
export interface StageConfig {
  /** Lower-case letters, digits and hyphens, up to 20. Unique in an AWS account, whatever the region: roles are named by it. */
  readonly stage: string
  /** Default: `us-east-1`. */
  readonly region: string
  /**
   * A protected stage refuses to be removed, and its keys, tables, queues and logs stay even when it is forced.
   * One that is not goes without leaving anything behind but its keys, which KMS keeps for 7 days, when customers'
   * functions are deleted and the bucket of their code is emptied before, see `functions.ts`. Default: false.
   */
  readonly isProtected: boolean
  /** Default: null, the URL that API Gateway gives. With a domain that URL is switched off. */
  readonly domain: StageDomain | null
  /** Web origins whose pages may call. Default: null, those of the API's own declaration (`CORS` in packages/api). */
  readonly allowedOrigins: readonly string[] | null
  /** Default: `INFO`, which logs every refused request. Never logs what a caller sends. */
  readonly logLevel: "DEBUG" | "INFO" | "WARN" | "ERROR"
  /** Default: 14. PCI DSS asks for a year. */
  readonly logRetentionDays: 7 | 14 | 30 | 90 | 180 | 365 | 400 | 731
  /** Default: 100 requests a second, 200 at once. API Gateway's own quota for an account is 10,000 and 5,000. */
  readonly throttling: Throttling
  /** Memory of a function, which its share of a processor follows: 1,769 MB is one. Default: 1,024. */
  readonly memoryMb: number
  /** Functions with another memory, by name: an endpoint's id, or a worker's name. */
  readonly memoryMbOf: Readonly<Record<string, number>>
  /** The most instances of a function, by name. They are taken from the account's quota. Default: none reserved. */
  readonly reservedConcurrencyOf: Readonly<Record<string, number>>
  /** Instances of a function that are kept started, by name. They cost while they wait. Default: none. */
  readonly provisionedConcurrencyOf: Readonly<Record<string, number>>
  /** Instances that deliver webhooks at the same time. SQS takes from 2 to 1,000. Default: 10. */
  readonly webhookConcurrency: number
  /** Runs of customers' functions that are scheduled, at the same time. SQS takes from 2 to 1,000. Default: 10. */
  readonly functionRunConcurrency: number
  /** Whether functions send traces to X-Ray. Default: false. */
  readonly isTraced: boolean
  /** Who is told of alarms; each must confirm a message from SNS first. Default: nobody. */
  readonly alarmEmails: readonly string[]
}

const DEFAULTS: Omit<StageConfig, "stage"> = {
  region: "us-east-1",
  isProtected: false,
  domain: null,
  allowedOrigins: null,
  logLevel: "INFO",
  logRetentionDays: 14,
  throttling: { requestsPerSecond: 100, burst: 200 },
  memoryMb: 1024,
  memoryMbOf: {},
  reservedConcurrencyOf: {},
  provisionedConcurrencyOf: {},
  webhookConcurrency: 10,
  functionRunConcurrency: 10,
  isTraced: false,
  alarmEmails: [],
}

/** Stages that differ from the defaults. Any other name is a personal stage, which needs no entry. */
const STAGES: ReadonlyMap<string, Partial<Omit<StageConfig, "stage">>> = new Map([
  [
    "production",
    {
      isProtected: true,
      logRetentionDays: 400,
      throttling: { requestsPerSecond: 5_000, burst: 2_500 },
      memoryMbOf: { encrypt: 1769, decrypt: 1769 },
      webhookConcurrency: 100,
      functionRunConcurrency: 100,
    },
  ],
])

const STAGE_NAME = /^[a-z](?:[a-z0-9-]{0,18}[a-z0-9])?$/

/**
 * The configuration of a stage.
 *
 * @throws Error when the name cannot be one, or the stage's configuration contradicts itself
 */
export function resolveStage(name: string): StageConfig {
  return checkStage({ ...DEFAULTS, ...STAGES.get(name), stage: name })
}

/** @throws Error saying what is wrong. @returns what it was given */
export function checkStage(config: StageConfig): StageConfig {
  if (!STAGE_NAME.test(config.stage)) {
    throw new Error(
      "A stage's name is 1 to 20 lower-case letters, digits and hyphens, and begins with a letter.",
    )
  }
  const { domain, region } = config
  if (domain !== null && !domain.certificateArn.startsWith(`arn:aws:acm:${region}:`)) {
    throw new Error(
      `The certificate of the stage ${config.stage} must be in its region ${region}, for API Gateway takes no other.`,
    )
  }
  for (const setting of ["webhookConcurrency", "functionRunConcurrency"] as const) {
    if (config[setting] < 2 || config[setting] > 1_000) {
      throw new Error(`The ${setting} of the stage ${config.stage} must be from 2 to 1,000.`)
    }
  }
  return config
}
