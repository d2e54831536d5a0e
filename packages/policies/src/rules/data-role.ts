import type { RecordOf } from "@sealway/platform"
import { isRoleSlug } from "@sealway/tokens"
import * as z from "zod"
import { ACCESS_LOG_MODES } from "./access-log-mode.ts"

/** A named category of data. Its slug is sealed into values and never changes; its policies may. */
export const dataRoleSchema = z.object({
  /** `role_…` */
  id: z.string(),
  slug: z.string().refine(isRoleSlug),
  name: z.string(),
  description: z.string(),
  /** No new values are sealed with an archived role; values that have it still follow its policies. */
  archived: z.boolean(),
  /** Roles that were made before there was an access log say nothing. */
  accessLog: z.enum(ACCESS_LOG_MODES).default("standard"),
  /** Epoch milliseconds; null while no value was sealed with the role and none of its values was asked for. */
  usedAt: z.number().nullable(),
  /** Epoch milliseconds. */
  createdAt: z.number(),
  /** Epoch milliseconds. Use does not count as a change. */
  updatedAt: z.number(),
  revision: z.number(),
})

export type DataRole = RecordOf<typeof dataRoleSchema>

/** Roles an app may have. */
export const MAX_ROLES = 200
