import { AUDIT_GRANTS, type Grant } from "@sealway/platform"

/** What reading merchants and acquirers needs: their records, and the keys that they are sealed with. */
export const ENROLLED_READ_GRANTS = [
  "dynamodb:GetItem/payments",
  "dynamodb:Query/config",
  "kms:Decrypt",
] as const satisfies readonly Grant[]

/** What writing down news of them needs: their records, their names while they are not settled, and waking a worker. */
export const ENROLMENT_NEWS_GRANTS = [
  ...ENROLLED_READ_GRANTS,
  "dynamodb:PutItem/payments",
  "dynamodb:PutItem/events",
  "sqs:SendMessage/enrolments",
  "sqs:SendMessage/events",
] as const satisfies readonly Grant[]

/** What changing them needs. */
export const ENROLLING_GRANTS = [
  ...ENROLLED_READ_GRANTS,
  "dynamodb:PutItem/payments",
  "sqs:SendMessage/enrolments",
  ...AUDIT_GRANTS,
] as const satisfies readonly Grant[]
