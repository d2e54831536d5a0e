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

interface PartitionBound {
  readonly holds: string
  /** What ends at `dynamodbPartitionWritesPerSecond` writes of up to 1 KB, or reads. */
  readonly bound: string
}

/**
 * The partitions that hold what belongs to one team or one app, in each table that uses the key. Their limits cannot be
 * raised, so each has a bound that is known. Those of a single record, and lists that are spread by a hash, are not here.
 */
export const PARTITIONS: Readonly<Record<string, PartitionBound>> = {
  "team#{team}": {
    holds: "apps, team keys, BIN tables; in the table of the audit log, its chain",
    bound: "1,000 audit records a second, as they are written together; 1,000 changes a second of the others",
  },
  "team#{team}#access#{app}#{}": {
    holds: "blocks of access records, in 16 partitions by a hash of the block",
    bound: "160,000 decryptions a second in blocks of ten, 430,000 in full ones",
  },
  "{}{team}#{}": {
    holds: "audit records that wait to be written together, for 10 seconds",
    bound: "1,000 writers a second",
  },
  "app#{app}": {
    holds:
      "configuration; key versions; events and deliveries, budgets; runs; files; payments: each in its table",
    bound:
      "3,000 environments' refreshes a second; about 250 events with a delivery each, or 1,000 new records, a second",
  },
  "app#{app}#decisions": {
    holds: "decision records",
    bound: "10,000 environments, each writes once in 10 seconds; about 200 if each has thousands of callers",
  },
  "app#{app}#stats": { holds: "figures", bound: "10,000 environments, each writes once in 10 seconds" },
  "app#{app}#activity#{}": {
    holds: "requests of one relay, for 7 days",
    bound: "5,000 processes of relays, each writes once in 5 seconds",
  },
  "api-key-use#{app}": { holds: "when keys were used", bound: "1,000 keys' first uses of the hour a second" },
  "limits#{app}": {
    holds: "one item: the demand for the app or the key",
    bound: "10,000 environments, each tells once in 10 seconds",
  },
  "attestation#{app}": { holds: "used attestations", bound: "1,000 decryptions a second by enclaves" },
  "data-subjects#{app}": { holds: "data subjects", bound: "1,000 new ones a second" },
  "data-subject-references#{app}": { holds: "their own ids", bound: "1,000 new ones a second" },
  "data-subject-erasures#{app}": {
    holds: "the ledger of erasures",
    bound: "1,000 erasures a second; 3,000 first reads of a data subject a second",
  },
}
