import { KB, MB } from "@sealway/kernel"
import * as z from "zod"

/** One operation of a connector: a POST of JSON to a path under the connector's URL. */
export interface ConnectorOperation<Request, Answer> {
  readonly path: string
  readonly summary: string
  readonly request: z.ZodType<Request>
  readonly answer: z.ZodType<Answer>
  /** Default: `MAX_CONNECTOR_MESSAGE_BYTES`. */
  readonly maxAnswerBytes?: number
}

export function operation<Request, Answer>(
  path: string,
  summary: string,
  request: z.ZodType<Request>,
  answer: z.ZodType<Answer>,
): ConnectorOperation<Request, Answer> {
  return { path, summary, request, answer }
}

/** The limit for an answer with a picture of a card, the longest of all. */
export const MAX_CARD_ART_BYTES = 2 * MB

/** The maximum size of a connector's answer, unless its operation says otherwise, and of a message to Sealway. */
export const MAX_CONNECTOR_MESSAGE_BYTES = 64 * KB

/** The operation that concerns no card. */
export const PING = operation(
  "/ping",
  "Report that the connector is up",
  z.strictObject({}),
  z.strictObject({ status: z.literal("ok") }),
)
