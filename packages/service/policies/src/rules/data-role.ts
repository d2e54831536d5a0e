import type { RecordOf } from "@sealway/ports"
import { isRoleSlug } from "@sealway/tokens"
import * as z from "zod"
import { ACCESS_LOG_MODES } from "./access-log-mode.ts"
import { maskSchema } from "./mask-schema.ts"

/** A named category of data. Its slug is sealed into values and never changes; its policies may. */
export const dataRoleSchema = z.lazy(() =>
  z.object({
    /** `role_…` */
    id: z.string(),
    slug: z.string().refine(isRoleSlug),
    name: z.string(),
    description: z.string(),
    /** No new values are sealed with an archived role; values that carry it still follow its policies. */
    archived: z.boolean(),
    accessLog: z.enum(ACCESS_LOG_MODES),
    /** How values look to those who may only see them masked. Null: they are never masked. */
    mask: maskSchema.nullable(),
    /** Epoch milliseconds; null until a value was sealed with the role or one of its values was requested. */
    usedAt: z.number().nullable(),
    /** Epoch milliseconds. */
    createdAt: z.number(),
    /** Epoch milliseconds. Being used is not a change. */
    updatedAt: z.number(),
    revision: z.number(),
  }),
)

export type DataRole = RecordOf<typeof dataRoleSchema>

/** The maximum number of roles of an app. */
export const MAX_ROLES = 200
