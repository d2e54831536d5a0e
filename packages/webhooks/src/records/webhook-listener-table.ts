import { type RecordOf, recordsOf } from "@sealway/platform"
import * as z from "zod"

/** Somebody who fetches events instead of being sent them, such as a developer's machine. */
const listenerSchema = z.object({
  id: z.string(),
  appId: z.string(),
  /** See `takesEvent`. */
  events: z.array(z.string()),
  /** Epoch milliseconds. */
  createdAt: z.number(),
  /** Epoch milliseconds until which it takes events, unless it fetches some before. */
  listensUntil: z.number(),
  revision: z.number(),
})

export type WebhookListener = RecordOf<typeof listenerSchema>

/** Those whose time is over are among them. */
export const listenerRecords = recordsOf<WebhookListener, "id">({
  prefix: "webhook-listener#",
  schema: listenerSchema,
  nameOf: ({ id }) => id,
})
