import { isErrorCode, isRelayErrorCode, RELAY_ERROR_CODES, type RelayErrorCode } from "@sealway/kernel"
import { SELECTION_TYPES } from "@sealway/relay-engine"
import * as z from "zod"
import type { Activity } from "./activity.ts"

function isCodeOfRelays(text: string): text is RelayErrorCode {
  return isErrorCode(text) && isRelayErrorCode(text)
}

export const errorCodeSchema = z
  .string()
  .refine(isCodeOfRelays, "This is not the code of an error of a relay")
  .meta({
    enum: [...RELAY_ERROR_CODES],
    description: "The relay error code, as in `X-Service-Error-Code`",
  })

const directionSchema = z.enum(["request", "response"])

/** Activity as stored and shown. */
export const activitySchema = z
  .object({
    id: z.string(),
    mode: z
      .enum(["reverse", "forward"])
      .describe("How the request came: to the relay's domain, or by the proxy"),
    method: z.string(),
    routes: z.array(z.string()).describe("The paths of the routes that matched, as they are configured"),
    status: z.int().describe("HTTP status of the answer"),
    error: z
      .object({
        code: errorCodeSchema,
        stage: z.enum(["request", "destination", "response"]).describe("Where the request met the error"),
        detail: z.string(),
      })
      .nullable()
      .describe("Null when the destination's own answer was passed on"),
    selections: z
      .array(
        z.object({
          direction: directionSchema,
          action: z.enum(["encrypt", "decrypt"]),
          type: z.enum(SELECTION_TYPES),
          selector: z.string(),
          matched: z.int().describe("Values that the selector selected"),
          changed: z.int().describe("Those of them that became tokens, or plaintext"),
        }),
      )
      .describe("What each selection did, up to 100 of them"),
    leaks: z
      .array(
        z.object({
          direction: directionSchema,
          path: z.string().describe("A path of the body, never its value"),
        }),
      )
      .describe("Where the leak watch found card numbers"),
    timing: z.object({
      totalMs: z.number(),
      destinationMs: z.number().describe("Waiting for the destination, up to its headers"),
      engineMs: z.number().describe("Reading bodies, choosing and changing values"),
    }),
    createdAt: z.int().describe("Epoch milliseconds"),
  })
  .meta({ id: "RelayActivity", description: "One request through a relay, and nothing of what was in it" })

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
  const { routes, selections, leaks } = activity
  return { ...activity, routes: [...routes], selections: [...selections], leaks: [...leaks] }
}
