/** A name of the stage's own, instead of API Gateway's. */
export interface StageDomain {
  /** `api.example.com`. Create its record in DNS yourself: the output `DomainTarget` says where it must point. */
  readonly name: string
  /** The ARN of an issued ACM certificate for it, in the stage's region. */
  readonly certificateArn: string
}

/** The identity provider at which members sign in, by OpenID Connect. */
export interface StageSignIn {
  /** `https://login.example.com`, as the provider's own metadata spells it. */
  readonly issuer: string
  readonly clientId: string
  /**
   * ARN of the secret in Secrets Manager that holds the client's secret as text. CloudFormation reads it when it deploys: the
   * templates only have its ARN. It becomes an environment variable of one function. Null: a public client.
   */
  readonly clientSecretArn: string | null
}

/** The dashboard's own name, instead of CloudFront's. */
export interface DashboardDomain {
  /** `dashboard.example.com`. */
  readonly name: string
  /** The ARN of an issued ACM certificate for it, in `us-east-1`. */
  readonly certificateArn: string
  /** Id of the Route 53 zone that the domain is in, for its record. Null: create it yourself, as outputs say. */
  readonly hostedZoneId: string | null
}

/** Where the dashboard is served. */
export interface StageDashboard {
  /** Null: the name that CloudFront gives. CloudFront then chooses the versions of TLS. */
  readonly domain: DashboardDomain | null
}

/** How often an API may be called, before API Gateway itself answers 429. */
export interface Throttling {
  readonly requestsPerSecond: number
  /** Requests that may come at once. */
  readonly burst: number
}

/** How a new version of a function gets its calls, see `CANARY_FUNCTIONS`. */
export interface StageCanary {
  /** The part of calls that it gets at first, in percent: from 1 to 99. */
  readonly percent: number
  /** Minutes until it gets all of them, unless it fails: from 1 to 2,880. */
  readonly minutes: number
}

/** AWS WAF in front of the relays. */
export interface RelayFirewall {
  /** Requests of one address in five minutes, from 10 to 2,000,000,000. More are refused with 429. */
  readonly requestsPer5Minutes: number
}

/** Daily backups by AWS Backup, of tables and buckets. */
export interface StageBackup {
  /** Days that a backup is kept, from 1 to 36,500. */
  readonly retentionDays: number
  /**
   * ARN of a vault of AWS Backup in another region, or of another account in your organisation, that gets a copy of each
   * backup. Null: none.
   */
  readonly copyToVaultArn: string | null
}

/** A copy of the audit log, in a bucket with S3's Object Lock. */
export interface StageAuditExport {
  /**
   * `COMPLIANCE`: nobody can delete a record, or shorten its retention, until it ends: not the account's root user, and not AWS.
   * `GOVERNANCE`: nobody while the bucket's policy stays as it is.
   */
  readonly mode: "COMPLIANCE" | "GOVERNANCE"
  /** Days that a record is locked, from 1 to 36,500. A change applies to later records. */
  readonly retentionDays: number
}

/** Where relays are served. */
export interface StageRelay {
  /** The end of relays' own domains: `relay.example.com`. */
  readonly domain: string
  /** ARN of an issued ACM certificate for `origin.<domain>`, in the stage's region: by that name CloudFront calls the container. */
  readonly certificateArn: string
  /**
   * The container's image in ECR: `111122223333.dkr.ecr.us-east-1.amazonaws.com/sealway-relay@sha256:…`. A stage that
   * is not protected accepts a tag (`:0.1.0`) too; a tag can change its meaning between two starts of a container.
   */
  readonly image: string
  /** Id of the Route 53 zone that the domain is in, for its records. Null: create them yourself, as outputs say. */
  readonly hostedZoneId: string | null
  /** Relays' own domains are served with this label too: `x.app-1.eu.relay.example.com`. Null: only without. */
  readonly regionLabel: "us" | "eu" | null
  /** The minimum number of containers; each availability zone has its share. */
  readonly minContainers: number
  readonly maxContainers: number
  /** One for each of the two availability zones, or one for both: outgoing traffic then depends on one zone. */
  readonly natGateways: 1 | 2
  /**
   * Id of the region's prefix list `com.amazonaws.global.cloudfront.origin-facing`: then only its addresses can connect
   * to the container's port for CloudFront. Null: anybody can, and is refused without the origin secret.
   */
  readonly cloudFrontPrefixListId: string | null
  /**
   * AWS WAF at CloudFront, with AWS's rules about bad addresses and known attacks, and a limit for each address. It
   * does not see forward proxies, which do not use CloudFront. Only in `us-east-1`. Null: none.
   */
  readonly firewall: RelayFirewall | null
  /**
   * ARN of an issued ACM certificate in `us-east-1` for a name of yours, such as `*.relay.example.com`. CloudFront
   * accepts the minimum version of TLS, 1.2, only together with one. Relays' domains are served with their own
   * certificates. Null: CloudFront's own choice of versions.
   */
  readonly viewerCertificateArn: string | null
}

/**
 * The settings that may differ between stages. Nothing here is looked up: a stage's stacks follow from this and the
 * code alone.
 */
export interface StageConfig {
  /**
   * Lower-case letters, digits and hyphens, up to 20. Unique in an AWS account, across regions: roles are named by it.
   */
  readonly stage: string
  /** Default: `us-east-1`. */
  readonly region: string
  /**
   * A protected stage refuses to be deleted, and its keys, tables, queues and logs stay even when it is forced. Any
   * other leaves nothing behind but its keys, which KMS keeps for 7 days, once `npm run empty-stage` has deleted what
   * the service created itself. Default: false.
   */
  readonly isProtected: boolean
  /** Default: null, the URL that API Gateway gives. With a domain that URL is switched off. */
  readonly domain: StageDomain | null
  /** Default: null, nobody can sign in. */
  readonly signIn: StageSignIn | null
  /**
   * The dashboard, in CloudFront, with the API below `/api` of the same origin. Sessions work from its pages only. Default:
   * null, none.
   */
  readonly dashboard: StageDashboard | null
  /**
   * Where members' browsers reach the API, if you serve the dashboard elsewhere: `https://dashboard.example.com/api`.
   * Sessions work from pages of its origin only. Default: null.
   */
  readonly dashboardApiUrl: string | null
  /** Web origins whose pages may call. Default: null, those of the API's own declaration (`CORS` in packages/hosts/api). */
  readonly allowedOrigins: readonly string[] | null
  /** Default: `INFO`, which logs every refused request. Never logs what a caller sends. */
  readonly logLevel: "DEBUG" | "INFO" | "WARN" | "ERROR"
  /** Default: 14. PCI DSS requires a year. */
  readonly logRetentionDays: 7 | 14 | 30 | 90 | 180 | 365 | 400 | 731
  /**
   * How many days access records are kept in the table that are written from now on, at most 3,650. Default: null, for good.
   */
  readonly accessLogDays: number | null
  /**
   * Default: 100 requests a second, 200 at once. With a domain, payments and relays have as much besides. API Gateway's own quota
   * for an account is 10,000 and 5,000.
   */
  readonly throttling: Throttling
  /** Memory of a function, which determines its share of a processor: 1,769 MB is one. Default: 1,024. */
  readonly memoryMb: number
  /** Functions with another memory, by name: an endpoint's id, or a worker's name. */
  readonly memoryMbOf: Readonly<Record<string, number>>
  /**
   * Concurrent executions that are reserved for a function, by name, and that it cannot exceed. They are taken from the
   * account's quota, of which 100 must remain: a deployment checks it. Lambda answers ten requests a second for each.
   * Default: none; in `production` 250 for `encrypt` and for `decrypt`, so that customers' functions cannot starve
   * them.
   */
  readonly reservedConcurrencyOf: Readonly<Record<string, number>>
  /**
   * Instances of a function that are kept started, by name. They cost while they wait. Sweepers and the writer of the audit log
   * cannot have any: callers do not call them by an alias. Default: none.
   */
  readonly provisionedConcurrencyOf: Readonly<Record<string, number>>
  /**
   * Gives a new version of `encrypt` and of `decrypt` a part of the calls first, by CodeDeploy, and goes back to the old one when
   * it fails. Default: null, all calls at once.
   */
  readonly canary: StageCanary | null
  /** Instances that deliver webhooks at the same time. SQS accepts 2 to 1,000. Default: 10. */
  readonly webhookConcurrency: number
  /** The same for receivers that recently took longer than a second: they wait only for each other. Default: 5. */
  readonly slowWebhookConcurrency: number
  /** Workers that run customers' functions from the queue, at the same time. SQS accepts 2 to 1,000. Default: 10. */
  readonly functionRunConcurrency: number
  /**
   * Runs of one app's functions that may be in progress at once, scheduled or not. More are refused with 429, or stay in the
   * queue. Default: 20.
   */
  readonly functionRunsPerApp: number
  /**
   * The same for all apps. Each run takes two of the account's concurrent executions: its own, and that of its caller.
   * Default: 50.
   */
  readonly functionRunsPerStage: number
  /** Whether functions send traces to X-Ray. Default: false. */
  readonly isTraced: boolean
  /** Default: null, no relays. */
  readonly relay: StageRelay | null
  /**
   * Daily backups, of a protected stage only: AWS keeps a vault that holds some. Default: null, none besides the
   * point-in-time recovery of the tables and the older versions in the buckets.
   */
  readonly backup: StageBackup | null
  /**
   * Copies the audit log to a bucket in which nobody can change or delete a record, of a protected stage only: a bucket that
   * holds some cannot be removed. Default: null.
   */
  readonly auditExport: StageAuditExport | null
  /**
   * Names of existing tables that the stage uses instead of its own, by what they replace, such as `config`: restored ones
   * (docs/operations.md). The stage's own stay as they are. Default: none.
   */
  readonly restoredTables: Readonly<Record<string, string>>
  /**
   * Addresses that alarms notify; each must confirm a message from SNS first. `"none"`: on purpose, nobody or something else
   * that subscribes to the topic. Default: an empty list, with which a protected stage is not deployed.
   */
  readonly alarmEmails: readonly string[] | "none"
}

const DEFAULTS: Omit<StageConfig, "stage"> = {
  region: "us-east-1",
  isProtected: false,
  domain: null,
  signIn: null,
  dashboard: null,
  dashboardApiUrl: null,
  allowedOrigins: null,
  logLevel: "INFO",
  logRetentionDays: 14,
  accessLogDays: null,
  throttling: { requestsPerSecond: 100, burst: 200 },
  memoryMb: 1024,
  memoryMbOf: {},
  reservedConcurrencyOf: {},
  provisionedConcurrencyOf: {},
  canary: null,
  webhookConcurrency: 10,
  slowWebhookConcurrency: 5,
  functionRunConcurrency: 10,
  functionRunsPerApp: 20,
  functionRunsPerStage: 50,
  isTraced: false,
  relay: null,
  backup: null,
  auditExport: null,
  restoredTables: {},
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
      slowWebhookConcurrency: 50,
      functionRunConcurrency: 100,
      reservedConcurrencyOf: { encrypt: 250, decrypt: 250 },
      functionRunsPerApp: 50,
      functionRunsPerStage: 200,
    },
  ],
])

const MAX_RUNS = 10_000

const DOMAIN = /^(?=.{1,190}$)[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)+$/
const ECR_IMAGE =
  /^(?<account>\d{12})\.dkr\.ecr\.(?<region>[a-z0-9-]+)\.amazonaws\.com\/(?<repository>[a-z0-9][a-z0-9._/-]*)(?::(?<tag>[\w.-]{1,128})|@(?<digest>sha256:[0-9a-f]{64}))$/

/** Regions of the partition `aws`. Those of `aws-cn`, `aws-us-gov` and others have other names for services and ARNs. */
const REGION = /^(?!cn-|us-gov-|us-iso|eu-isoe-|eusc-)[a-z]{2}-[a-z]+-\d$/
/** The region of certificates and of AWS WAF for CloudFront. */
const CLOUDFRONT_REGION = "us-east-1"
const FIREWALL_LIMIT = { min: 10, max: 2_000_000_000 } as const

const STAGE_NAME = /^[a-z](?:[a-z0-9-]{0,18}[a-z0-9])?$/

/**
 * Returns the configuration of a stage.
 *
 * @throws Error when the name is invalid, or the stage's configuration contradicts itself
 */
export function resolveStage(name: string): StageConfig {
  return checkStage({ ...DEFAULTS, ...STAGES.get(name), stage: name })
}

/** Returns the addresses that alarms notify. */
export function recipientsOf({ alarmEmails }: Pick<StageConfig, "alarmEmails">): readonly string[] {
  return alarmEmails === "none" ? [] : alarmEmails
}

/**
 * Refuses to deploy a protected stage whose alarms would reach nobody.
 *
 * @throws Error saying what to set
 */
export function requireRecipients({ stage, isProtected, alarmEmails }: StageConfig): void {
  if (!isProtected || alarmEmails === "none" || alarmEmails.length > 0) return
  throw new Error(
    `Nobody would be notified of alarms of the stage ${stage}. Set alarmEmails in stacks/config.ts to addresses, or to "none" on purpose.`,
  )
}

/** @throws Error saying what is wrong. @returns its argument */
export function checkStage(config: StageConfig): StageConfig {
  if (!STAGE_NAME.test(config.stage)) {
    throw new Error(
      "A stage's name must be 1 to 20 lower-case letters, digits and hyphens, and begin with a letter.",
    )
  }
  const { domain, region } = config
  if (!REGION.test(region)) {
    throw new Error(
      `The region ${region} of the stage ${config.stage} is not one of AWS's commercial regions. China, GovCloud and the other partitions are not supported.`,
    )
  }
  if (domain !== null && !domain.certificateArn.startsWith(`arn:aws:acm:${region}:`)) {
    throw new Error(
      `The certificate of the stage ${config.stage} must be in its region ${region}: API Gateway accepts no other.`,
    )
  }
  for (const setting of ["webhookConcurrency", "slowWebhookConcurrency", "functionRunConcurrency"] as const) {
    if (config[setting] < 2 || config[setting] > 1_000) {
      throw new Error(`The ${setting} of the stage ${config.stage} must be from 2 to 1,000.`)
    }
  }
  const { accessLogDays } = config
  if (
    accessLogDays !== null &&
    !(Number.isInteger(accessLogDays) && accessLogDays >= 1 && accessLogDays <= 3_650)
  ) {
    throw new Error(
      `The accessLogDays of the stage ${config.stage} must be a whole number from 1 to 3,650, or null.`,
    )
  }
  const { functionRunsPerApp: perApp, functionRunsPerStage: perStage } = config
  if (!(isCount(perApp) && isCount(perStage) && perApp <= perStage)) {
    throw new Error(
      `The functionRunsPerApp and functionRunsPerStage of the stage ${config.stage} must be whole numbers from 1 to 10,000, the first no larger than the second.`,
    )
  }
  if (config.relay !== null) checkRelay(config, config.relay)
  checkCanary(config)
  checkBackup(config)
  checkAuditExport(config)
  checkSignIn(config)
  checkDashboard(config)
  return config
}

/** The functions that `canary` is about: those that most of the traffic calls. */
export const CANARY_FUNCTIONS: readonly string[] = ["encrypt", "decrypt"]
/** CodeDeploy's limit: two days. */
const MAX_CANARY_MINUTES = 2_880

function checkCanary({ stage, canary, provisionedConcurrencyOf }: StageConfig): void {
  if (canary === null) return
  const isWithin = (value: number, max: number) => Number.isInteger(value) && value >= 1 && value <= max
  if (!isWithin(canary.percent, 99) || !isWithin(canary.minutes, MAX_CANARY_MINUTES)) {
    throw new Error(
      `The canary of the stage ${stage} must have a whole percent from 1 to 99, and whole minutes from 1 to 2,880.`,
    )
  }
  const started = CANARY_FUNCTIONS.filter((name) => provisionedConcurrencyOf[name] !== undefined)
  if (started.length > 0) {
    throw new Error(
      `The stage ${stage} has a canary, so provisionedConcurrencyOf must not name ${started.join(" or ")}: the two were not tried together.`,
    )
  }
}

const VAULT_ARN = /^arn:aws:backup:[a-z0-9-]+:[0-9]{12}:backup-vault:[\w-]{2,50}$/
/** DynamoDB's rule. */
const TABLE_NAME = /^[\w.-]{3,255}$/
/** The limit of AWS Backup, and of Object Lock: a hundred years. */
const MAX_RETENTION_DAYS = 36_500

function checkBackup({ stage, isProtected, backup, restoredTables }: StageConfig): void {
  for (const [table, name] of Object.entries(restoredTables)) {
    if (!TABLE_NAME.test(name)) {
      throw new Error(
        `The restoredTables.${table} of the stage ${stage} must be the name of a table: ${name}.`,
      )
    }
  }
  if (backup === null) return
  const { retentionDays, copyToVaultArn } = backup
  if (!isProtected) {
    throw new Error(
      `The stage ${stage} has a backup, so it must be protected: AWS removes no vault with backups.`,
    )
  }
  if (!isRetention(retentionDays)) {
    throw new Error(`The backup.retentionDays of the stage ${stage} must be a whole number from 1 to 36,500.`)
  }
  if (copyToVaultArn !== null && !VAULT_ARN.test(copyToVaultArn)) {
    throw new Error(`The backup.copyToVaultArn of the stage ${stage} must be the ARN of a backup vault.`)
  }
}

function isRetention(days: number): boolean {
  return Number.isInteger(days) && days >= 1 && days <= MAX_RETENTION_DAYS
}

function checkAuditExport({ stage, isProtected, auditExport, restoredTables }: StageConfig): void {
  if (auditExport === null) return
  if (!isProtected) {
    throw new Error(
      `The stage ${stage} has an auditExport, so it must be protected: AWS removes no bucket with locked objects.`,
    )
  }
  if (!isRetention(auditExport.retentionDays)) {
    throw new Error(
      `The auditExport.retentionDays of the stage ${stage} must be a whole number from 1 to 36,500.`,
    )
  }
  if (restoredTables.audit !== undefined) {
    throw new Error(
      `The stage ${stage} has restoredTables.audit, so its auditExport must be null: a restored table has no stream that tells of new records.`,
    )
  }
}

/** The first one contains the region. */
const SECRET_ARN = /^arn:aws:secretsmanager:([a-z0-9-]+):[0-9]{12}:secret:[\w/+=.@-]+$/

function checkSignIn({ stage, region, signIn, dashboardApiUrl }: StageConfig): void {
  for (const [setting, url] of [
    ["signIn.issuer", signIn?.issuer],
    ["dashboardApiUrl", dashboardApiUrl ?? undefined],
  ] as const) {
    const parsed = url === undefined ? null : URL.parse(url)
    const isPlain = parsed !== null && parsed.username + parsed.password + parsed.search + parsed.hash === ""
    if (url !== undefined && !(isPlain && parsed.protocol === "https:")) {
      throw new Error(`The ${setting} of the stage ${stage} must be a URL with https:// and without query.`)
    }
  }
  const secret = signIn?.clientSecretArn ?? null
  if (secret !== null && SECRET_ARN.exec(secret)?.[1] !== region) {
    throw new Error(
      `The signIn.clientSecretArn of the stage ${stage} must be the ARN of a secret in its region ${region}.`,
    )
  }
}

function checkDashboard({ stage, dashboard, dashboardApiUrl }: StageConfig): void {
  if (dashboard === null) return
  if (dashboardApiUrl !== null) {
    throw new Error(`The stage ${stage} has a dashboard, so its dashboardApiUrl must be null.`)
  }
  const { domain } = dashboard
  if (domain === null) return
  if (!DOMAIN.test(domain.name)) {
    throw new Error(
      `The dashboard's domain of the stage ${stage} must be a lower-case domain name: ${domain.name}.`,
    )
  }
  if (!domain.certificateArn.startsWith(`arn:aws:acm:${CLOUDFRONT_REGION}:`)) {
    throw new Error(
      `The dashboard's certificate of the stage ${stage} must be in ${CLOUDFRONT_REGION}: CloudFront accepts no other region.`,
    )
  }
}

function isCount(number: number): boolean {
  return Number.isInteger(number) && number >= 1 && number <= MAX_RUNS
}

/** An image in ECR. */
export interface EcrImage {
  readonly account: string
  readonly region: string
  readonly repository: string
  /** `0.1.0`, or `sha256:…`. */
  readonly tagOrDigest: string
}

/** @throws Error when it is not an image of ECR with a tag or a digest */
export function parseImage(image: string): EcrImage {
  const { account, region, repository, tag, digest = tag } = ECR_IMAGE.exec(image)?.groups ?? {}
  if (account === undefined || region === undefined || repository === undefined || digest === undefined) {
    throw new Error(`The image ${image} must be an ECR image with a tag or a digest.`)
  }
  return { account, region, repository, tagOrDigest: digest }
}

function checkRelay({ stage, region, isProtected }: StageConfig, relay: StageRelay): void {
  const { domain, certificateArn, image, minContainers, maxContainers, firewall } = relay
  if (!DOMAIN.test(domain)) {
    throw new Error(`The relays' domain of the stage ${stage} must be a lower-case domain name: ${domain}.`)
  }
  if (!certificateArn.startsWith(`arn:aws:acm:${region}:`)) {
    throw new Error(`The relays' certificate of the stage ${stage} must be in its region ${region}.`)
  }
  if (!parseImage(image).tagOrDigest.startsWith("sha256:") && isProtected) {
    throw new Error(
      `The image of the protected stage ${stage} must be given by its digest (@sha256:…): the image behind a tag can change.`,
    )
  }
  if (relay.viewerCertificateArn?.startsWith(`arn:aws:acm:${CLOUDFRONT_REGION}:`) === false) {
    throw new Error(
      `The viewerCertificateArn of the stage ${stage} must be in ${CLOUDFRONT_REGION}: CloudFront accepts no other region.`,
    )
  }
  if (firewall !== null) checkFirewall(stage, region, firewall)
  if (minContainers < 1 || maxContainers < minContainers) {
    throw new Error(
      `The stage ${stage} must have a minimum of at least 1 container, and a maximum that is not lower.`,
    )
  }
}

function checkFirewall(stage: string, region: string, { requestsPer5Minutes }: RelayFirewall): void {
  if (region !== CLOUDFRONT_REGION) {
    throw new Error(
      `The stage ${stage} cannot have a firewall in ${region}: AWS WAF firewalls for CloudFront must be in ${CLOUDFRONT_REGION}.`,
    )
  }
  const { min, max } = FIREWALL_LIMIT
  const isLimit =
    Number.isInteger(requestsPer5Minutes) && requestsPer5Minutes >= min && requestsPer5Minutes <= max
  if (!isLimit) {
    throw new Error(
      `The requestsPer5Minutes of the stage ${stage} must be a whole number from 10 to 2,000,000,000.`,
    )
  }
}
