import { idParameter } from "@sealway/http"
import { ONE_LINE, ONE_LINE_RULE } from "@sealway/kernel"
import type { Table } from "@sealway/ports"
import { ROLE_SLUG } from "@sealway/tokens"
import * as z from "zod"
import type { HoneyContent, HoneyTokenInput } from "../management/manage-honey-tokens.ts"
import { ALERT_TYPES, type HoneyToken } from "../records/honey-token-table.ts"
import { lastTouchedAt } from "../records/honey-touch-table.ts"
import { SHAPES } from "../values/made-up.ts"

export const MAX_HONEY_TOKEN_BYTES = 16 * 1024
const MAX_TOKEN_CHARACTERS = 4_096
const MAX_URL_CHARACTERS = 2_048

const nameSchema = z
  .string()
  .min(1)
  .max(100)
  .regex(ONE_LINE, ONE_LINE_RULE)
  .describe("What people read in alerts, such as where it was put")

const alertSchema = z
  .strictObject({
    type: z
      .enum(ALERT_TYPES)
      .describe("`webhook`: the event's data. `chat`: `{text}`, as chat tools take it"),
    url: z.string().min(1).max(MAX_URL_CHARACTERS),
  })
  .describe("Where each touch is also posted, signed with the app's callback secret")

export const honeyTokenInputSchema = z
  .strictObject({
    name: nameSchema,
    value: z
      .union([z.string(), z.number(), z.boolean()])
      .optional()
      .describe("What to seal, at most 1,000 bytes. Nobody will ever see it: only its type and length count"),
    shape: z.enum(SHAPES).optional().describe("Makes up a value that looks like this"),
    like: z
      .string()
      .max(MAX_TOKEN_CHARACTERS)
      .optional()
      .describe(
        "A token of the app. Makes up a value of the same type, role and length, as if both had been encrypted together; at most five for the same key segment",
      ),
    role: z
      .string()
      .regex(ROLE_SLUG)
      .nullish()
      .describe("Slug of the data role. Default: none. Not with `like`"),
    alert: alertSchema.nullish().describe("Default: none"),
  })
  .refine(
    ({ value, shape, like }) => [value, shape, like].filter((each) => each !== undefined).length === 1,
    "Pass exactly one of value, shape and like",
  )
  .refine(({ like, role }) => like === undefined || role === undefined, {
    path: ["role"],
    error: "A honey token that is like another token has its role",
  })
  .meta({ id: "HoneyTokenInput" })

export function readInput(input: z.infer<typeof honeyTokenInputSchema>): HoneyTokenInput {
  return { name: input.name, content: contentOf(input), alert: input.alert ?? null }
}

function contentOf({ value, shape, like, role = null }: z.infer<typeof honeyTokenInputSchema>): HoneyContent {
  if (like !== undefined) return { like }
  if (shape !== undefined) return { shape, role }
  if (value !== undefined) return { value, role }
  throw new TypeError("The schema requires one of value, shape and like")
}

export const honeyTokenSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    type: z.enum(["string", "number", "boolean"]),
    role: z.string().nullable().describe("Slug of the data role"),
    token: z.string().describe("What to put into a database, a file or a log"),
    mark: z.string().describe("The IV of the token, in base64. The audit log names it by this"),
    alert: z.object({ type: z.enum(ALERT_TYPES), url: z.string() }).nullable(),
    createdAt: z.int().describe("Epoch milliseconds"),
    lastTouchedAt: z.int().nullable().describe("Epoch milliseconds; null when nobody has touched it"),
  })
  .meta({ id: "HoneyToken" })

export const honeyTokenPathSchema = z.object({
  honey_token_id: idParameter("honey_token", "Id of the honey token"),
})

/** Returns a honey token as callers see it. */
export async function showHoneyToken(
  eventsTable: Table,
  appId: string,
  { id, name, type, role, token, mark, alertType, url, createdAt }: HoneyToken,
): Promise<z.infer<typeof honeyTokenSchema>> {
  const alert = alertType === null || url === null ? null : { type: alertType, url }
  return {
    id,
    name,
    type,
    role,
    token,
    mark,
    alert,
    createdAt,
    lastTouchedAt: await lastTouchedAt(eventsTable, appId, id),
  }
}
