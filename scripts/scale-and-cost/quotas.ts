/**
 * Quotas of a new AWS account in `us-east-1`, as documented in November 2026. They change, and differ by account and
 * region: Service Quotas shows yours.
 */
export const QUOTAS = {
  /** HTTP and REST APIs of a region together. */
  apiGatewayRequestsPerSecond: 10_000,
  /** Environments at work in a region. Brand-new accounts may start with 10. */
  lambdaConcurrency: 1_000,
  /** Requests a second that each unit of concurrency allows, however short they are. */
  lambdaRequestsPerConcurrency: 10,
  /** Environments that one function may add in a second. */
  lambdaGrowthPerSecond: 100,
  /** Decrypt, Encrypt and similar calls with symmetric keys; a tenth to a fifth of that in smaller regions. */
  kmsRequestsPerSecond: 100_000,
  /** DeriveSharedSecret, Sign and Verify with keys on elliptic curves together. */
  kmsAgreementsPerSecond: 1_000,
  /** On demand, of one table. */
  dynamodbTableReadsPerSecond: 40_000,
  dynamodbTableWritesPerSecond: 40_000,
  /** Of one partition: the limit of one item, or one app's records. It cannot be raised. */
  dynamodbPartitionReadsPerSecond: 3_000,
  dynamodbPartitionWritesPerSecond: 1_000,
} as const
