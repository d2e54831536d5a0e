import { type RecordOf, recordsOf } from "@sealway/ports"
import * as z from "zod"

/** A client that fetches events instead of having them sent, such as a developer's machine. */
const listenerSchema = z.object({
  id: z.string(),
  appId: z.string(),
  /** See `takesEvent`. */
  events: z.array(z.string()),
  /** Epoch milliseconds. */
  createdAt: z.number(),
  /** Epoch milliseconds until which it stays subscribed, unless it fetches before. */
  listensUntil: z.number(),
  revision: z.number(),
})

export type WebhookListener = RecordOf<typeof listenerSchema>

/** Includes expired ones. */
export const listenerRecords = recordsOf<WebhookListener, "id">({
  prefix: "webhook-listener#",
  schema: listenerSchema,
  nameOf: ({ id }) => id,
})
