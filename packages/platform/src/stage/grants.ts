import type { DeadLetterQueueName, QueueName } from "./queues.ts"
import type { TableName } from "./tables.ts"

type TableAction = "GetItem" | "PutItem" | "UpdateItem" | "DeleteItem" | "Query"

/** What is done with a distribution tenant of CloudFront, which stands for a relay's domain. */
type TenantAction =
  | "CreateDistributionTenant"
  | "GetDistributionTenantByDomain"
  | "GetManagedCertificateDetails"
  | "UpdateDistributionTenant"
  | "DeleteDistributionTenant"

/**
 * An AWS action that an endpoint's role must allow, as IAM names it, and the table or queue it is for (functions and their
 * code and logs, and the edge's tenants: all of them).
 */
export type Grant =
  | `dynamodb:${TableAction}/${TableName}`
  | `sqs:SendMessage/${QueueName | DeadLetterQueueName}`
  | "lambda:InvokeFunction"
  | "logs:FilterLogEvents"
  | "s3:PutObject"
  | "s3:DeleteObject"
  | `cloudfront:${TenantAction}`
  | "kms:Decrypt"
  | "kms:Encrypt"

/** What writing a record of the team's needs. */
export const TEAM_AUDIT_GRANTS = [
  "dynamodb:Query/events",
  "dynamodb:PutItem/events",
] as const satisfies readonly Grant[]

/** What writing a record of an app's needs, and publishing its event. */
export const AUDIT_GRANTS = [
  ...TEAM_AUDIT_GRANTS,
  "dynamodb:Query/config",
  "sqs:SendMessage/events",
] as const satisfies readonly Grant[]
