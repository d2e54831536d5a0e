import { isErrorCode, isRelayErrorCode, RELAY_ERROR_CODES, type RelayErrorCode } from "@sealway/kernel"
import { SELECTION_TYPES } from "@sealway/relay-engine"
import * as z from "zod"
import { type Activity, TOLERATED } from "./activity.ts"

function isCodeOfRelays(text: string): text is RelayErrorCode {
  return isErrorCode(text) && isRelayErrorCode(text)
}

export const errorCodeSchema = z
  .string()
  .refine(isCodeOfRelays, "Not a relay error code")
  .meta({ enum: [...RELAY_ERROR_CODES], description: "The relay error code, as in `X-Service-Error-Code`" })

const directionSchema = z.enum(["request", "response"])

/** Activity as stored and shown. */
export const activitySchema = z
  .object({
    id: z.string(),
    mode: z
      .enum(["reverse", "forward"])
      .describe("Whether the request came to the relay's domain or through the forward proxy"),
    method: z.string(),
    routes: z.array(z.string()).describe("Configured paths of the routes that matched"),
    status: z.int().describe("HTTP status of the response"),
    error: z
      .object({
        code: errorCodeSchema,
        stage: z.enum(["request", "destination", "response"]).describe("Where the error occurred"),
        detail: z.string(),
      })
      .nullable()
      .describe("Null when the destination's own response was passed on"),
    selections: z
      .array(
        z.object({
          direction: directionSchema,
          action: z.enum(["encrypt", "decrypt"]),
          type: z.enum(SELECTION_TYPES),
          selector: z.string(),
          matched: z.int().describe("Number of values that the selector matched"),
          changed: z.int().describe("Number of those values that were encrypted or decrypted"),
        }),
      )
      .describe("Results of the selections, up to 100"),
    leaks: z
      .array(
        z.object({
          direction: directionSchema,
          path: z.string().describe("A path in the body, never its value"),
        }),
      )
      .describe("Paths where the leak watch found card numbers"),
    tolerated: z
      .array(z.enum(TOLERATED))
      .default([])
      .describe(
        "What passed only because `unmatched`, `passContentTypes` or `unknownContentTypes` lets it: a request without a route, or a body of a type that no selection is for",
      ),
    timing: z.object({
      totalMs: z.number(),
      destinationMs: z.number().describe("Time until the destination's response headers arrived"),
      engineMs: z.number().describe("Time spent reading bodies and encrypting or decrypting values"),
    }),
    createdAt: z.int().describe("Epoch milliseconds"),
  })
  .meta({ id: "RelayActivity", description: "One request through a relay, without any of its content" })

const MAX_LISTED = 100
const MAX_CHARACTERS = 600

/** Limits what is stored of activity: paths contain names from the body, of any length and number. */
export function boundActivity(activity: Activity): Activity {
  const { routes, error, selections, leaks } = activity
  return {
    ...activity,
    routes: routes.slice(0, MAX_LISTED).map(bound),
    error: error && { ...error, detail: bound(error.detail) },
    selections: selections
      .slice(0, MAX_LISTED)
      .map((selection) => ({ ...selection, selector: bound(selection.selector) })),
    leaks: leaks.slice(0, MAX_LISTED).map(({ direction, path }) => ({ direction, path: bound(path) })),
  }
}

function bound(text: string): string {
  return text.length <= MAX_CHARACTERS ? text : `${text.slice(0, MAX_CHARACTERS)}…`
}

/** Shows activity as the API returns it. */
export function showActivity(activity: Activity): z.infer<typeof activitySchema> {
  const { routes, selections, leaks, tolerated } = activity
  return {
    ...activity,
    routes: [...routes],
    selections: [...selections],
    leaks: [...leaks],
    tolerated: [...tolerated],
  }
}
