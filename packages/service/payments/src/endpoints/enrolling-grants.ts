import { AUDIT_GRANTS, type Grant } from "@sealway/ports"

/** For reading merchants and acquirers: their records, and the keys that seal them. */
export const ENROLLED_READ_GRANTS = [
  "dynamodb:GetItem/payments",
  "dynamodb:Query/keys",
  "kms:Decrypt/secret",
] as const satisfies readonly Grant[]

/** For listing them. */
export const ENROLLED_LIST_GRANTS = [
  "dynamodb:Query/payments",
  "dynamodb:Query/keys",
  "kms:Decrypt/secret",
] as const satisfies readonly Grant[]

/** For recording news about them: their records, their pending entries, and waking a worker. */
export const ENROLMENT_NEWS_GRANTS = [
  ...ENROLLED_READ_GRANTS,
  "dynamodb:Query/config",
  "dynamodb:PutItem/payments",
  "dynamodb:PutItem/events",
  "sqs:SendMessage/enrolments",
  "sqs:SendMessage/events",
] as const satisfies readonly Grant[]

/** For changing them. */
export const ENROLLING_GRANTS = [
  ...ENROLLED_READ_GRANTS,
  "dynamodb:PutItem/payments",
  "sqs:SendMessage/enrolments",
  ...AUDIT_GRANTS,
] as const satisfies readonly Grant[]
