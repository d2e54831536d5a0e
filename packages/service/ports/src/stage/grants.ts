import type { DeadLetterQueueName, QueueName } from "../ports/queues.ts"
import type { KeyPart } from "./key-parts.ts"
import type { TableName } from "./tables.ts"

type TableAction = "GetItem" | "PutItem" | "UpdateItem" | "DeleteItem" | "Query"

/** The actions on a distribution tenant of CloudFront, which represents a relay's domain. */
type TenantAction =
  | "CreateDistributionTenant"
  | "GetDistributionTenantByDomain"
  | "GetManagedCertificateDetails"
  | "UpdateDistributionTenant"
  | "DeleteDistributionTenant"

/** The actions on private keys of apps in KMS. */
type AgreementKeyAction =
  | "CreateKey"
  | "GetPublicKey"
  | "DeriveSharedSecret"
  | "ListKeys"
  | "ListResourceTags"
  | "DescribeKey"
  | "ScheduleKeyDeletion"

/** The actions on sealed files. `ListBucket` tells a missing file from one that may not be read. */
type FileAction =
  | "PutObject"
  | "GetObject"
  | "DeleteObject"
  | "AbortMultipartUpload"
  | "ListMultipartUploadParts"
  | "ListBucket"

/**
 * An AWS action that an endpoint's role must allow, by its IAM name, and the table, queue, bucket or part of key versions it is for.
 * (Actions on customers' functions, their code and logs, and the edge's tenants apply to all of them.)
 */
export type Grant =
  | `dynamodb:${TableAction}/${TableName}`
  | `sqs:SendMessage/${QueueName | DeadLetterQueueName}`
  | "lambda:InvokeFunction"
  | "lambda:InvokeFunction/audit-writer"
  | "logs:FilterLogEvents"
  | "s3:PutObject"
  | "s3:DeleteObject"
  | `s3:${FileAction}/files`
  | `cloudfront:${TenantAction}`
  | `kms:Decrypt/${KeyPart}`
  | "kms:Encrypt"
  | `kms:${AgreementKeyAction}`

/** What writing an audit record of a team needs: whoever may write to the log's table could also replace records. */
export const TEAM_AUDIT_GRANTS = [
  "dynamodb:Query/audit",
  "lambda:InvokeFunction/audit-writer",
] as const satisfies readonly Grant[]

/** What writing an audit record of an app and publishing its event needs. */
export const AUDIT_GRANTS = [
  ...TEAM_AUDIT_GRANTS,
  "dynamodb:Query/config",
  "dynamodb:PutItem/events",
  "sqs:SendMessage/events",
] as const satisfies readonly Grant[]

/** What reading a data subject needs: its record, and the ledger of erasures. */
export const SUBJECT_READING_GRANTS = [
  "dynamodb:GetItem/config",
  "dynamodb:GetItem/events",
] as const satisfies readonly Grant[]

/** What opening values of an app needs, wherever its private keys are, and whether or not they are of data subjects. */
export const OPENING_GRANTS = [
  ...SUBJECT_READING_GRANTS,
  "dynamodb:Query/keys",
  "kms:Decrypt/private",
  "kms:DeriveSharedSecret",
] as const satisfies readonly Grant[]

/** What adding a key version to an app needs. */
export const KEY_CREATION_GRANTS = [
  "dynamodb:Query/keys",
  "dynamodb:PutItem/keys",
  "kms:Encrypt",
  "kms:CreateKey",
  "kms:GetPublicKey",
] as const satisfies readonly Grant[]
