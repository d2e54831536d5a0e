import type { Grant } from "@sealway/ports"

/** For a session that may be decided meanwhile: its records, and the event about the decision. */
export const SESSION_GRANTS = [
  "dynamodb:GetItem/config",
  "dynamodb:Query/config",
  "dynamodb:Query/keys",
  "dynamodb:GetItem/payments",
  "dynamodb:PutItem/payments",
  "dynamodb:DeleteItem/payments",
  "dynamodb:PutItem/events",
  "sqs:SendMessage/events",
  "kms:Decrypt/secret",
] as const satisfies readonly Grant[]
