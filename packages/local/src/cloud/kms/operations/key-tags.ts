import * as z from "zod"
import type { KmsKey } from "../key-store.ts"
import { KmsError } from "../kms-error.ts"
import type { RequestMembers } from "../request-members.ts"

const MAX_TAGS = 50
const TEXT = /^[\p{L}\p{Z}\p{N}_.:/=+\-@]*$/u

const typesSchema = z.array(z.object({ TagKey: z.string(), TagValue: z.string() })).default([])
const tagsSchema = z
  .array(
    z.object({
      TagKey: z
        .string()
        .min(1)
        .max(128)
        .regex(TEXT)
        .refine((key) => !key.startsWith("aws:")),
      TagValue: z.string().max(256).regex(TEXT),
    }),
  )
  .max(MAX_TAGS)

/** Reads the field Tags of CreateKey. @throws KmsError SerializationException, ValidationException, TagException */
export function tagsOf({ Tags }: RequestMembers): ReadonlyMap<string, string> {
  const types = typesSchema.safeParse(Tags)
  if (!types.success) throw new KmsError("SerializationException", "The member Tags is not a list of tags.")
  const tags = tagsSchema.safeParse(types.data)
  if (!tags.success) throw new KmsError("TagException", "A tag is not valid, or there are too many.")
  const found = new Map(tags.data.map(({ TagKey, TagValue }) => [TagKey, TagValue]))
  if (found.size < tags.data.length) throw new KmsError("TagException", "A tag occurs twice.")
  return found
}

/** Shows the tags of a key as AWS does. */
export function shownTags({ tags }: Pick<KmsKey, "tags">): object[] {
  return [...tags].map(([TagKey, TagValue]) => ({ TagKey, TagValue }))
}
