import { MAX_ROUTES, SELECTION_TYPES } from "@sealway/relay-engine"
import { ROLE_SLUG } from "@sealway/tokens"
import * as z from "zod"
import { MAX_DESTINATION_CHARACTERS } from "../relays/destination.ts"

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] as const

/** The limits of a relay, so that its record fits into a table and compiles quickly. */
const MAX_ACTIONS = 10
const MAX_SELECTIONS_PER_ACTION = 100
export const MAX_RELAY_BYTES = 256 * 1024

const MAX_SELECTOR_CHARACTERS = 512
const MAX_PATH_CHARACTERS = 1_024

/** `/`, then segments that a request target may contain; checked further when routes are compiled. */
const PATH = /^\/[^\s\p{Cc}?#\\]*$/u

const MAX_NAMESPACES = 20
const MAX_URI_CHARACTERS = 1_024

const namespacesSchema = z
  .record(
    z
      .string()
      .max(100)
      .regex(/^(?!xml)[^\s:@{}*'"[\]]+$/i, "A prefix holds no colon, and does not begin with xml"),
    z.string().min(1).max(MAX_URI_CHARACTERS),
  )
  .refine(
    (namespaces) => Object.keys(namespaces).length <= MAX_NAMESPACES,
    `There are ${MAX_NAMESPACES} namespaces at most`,
  )

const selectionSchema = z.strictObject({
  type: z
    .enum(SELECTION_TYPES)
    .default("json")
    .describe(
      "Where to look: in the body by its format, in the query of a request's target, in headers, or in the files of a multipart body",
    ),
  selector: z
    .string()
    .min(1)
    .max(MAX_SELECTOR_CHARACTERS)
    .describe("JSONPath (RFC 9535) for `json` and `xml`; a name for `form`, `query`, `file` and `header`"),
  namespaces: namespacesSchema
    .exactOptional()
    .describe(
      "Of `xml` only: URIs of namespaces by the prefixes that the selector has for them. Names are then found whatever prefix a document has for the namespace",
    ),
  role: z
    .string()
    .regex(ROLE_SLUG, "A slug is 1 to 20 of a-z, 0-9 and -")
    .nullable()
    .default(null)
    .describe("Slug of the data role that values are encrypted with; null for none"),
})

const checkedSelectionSchema = selectionSchema.refine(
  ({ type, namespaces }) => type === "xml" || namespaces === undefined,
  { path: ["namespaces"], message: "Only a selection of type xml has namespaces" },
)

export const actionSchema = z.strictObject({
  action: z
    .enum(["encrypt", "decrypt"])
    .describe("`encrypt` leaves alone what is encrypted already, `decrypt` what is not"),
  selections: z.array(checkedSelectionSchema).min(1).max(MAX_SELECTIONS_PER_ACTION),
})

const actionsSchema = z.array(actionSchema).max(MAX_ACTIONS).default([])

export const routeSchema = z.strictObject({
  method: z.enum(METHODS).nullable().default(null).describe("Null: every method"),
  path: z
    .string()
    .max(MAX_PATH_CHARACTERS)
    .regex(PATH, "A path begins with / and holds no white space, ?, # or backslash")
    .describe("`*` stands for one segment, `/**` at the end for all that follow"),
  request: actionsSchema.describe("What is done with requests"),
  response: actionsSchema.describe("What is done with answers"),
})

/** The changeable settings of a relay, without defaults. */
export const relaySettingsShape = {
  routes: z
    .array(routeSchema)
    .max(MAX_ROUTES)
    .describe("The actions of every route that matches a request apply, in this order"),
  authentication: z
    .enum(["api-key"])
    .nullable()
    .describe("`api-key`: requests need the headers X-Service-Api-Key and X-Service-App-Id; null: none"),
  encryptEmptyStrings: z.boolean().describe("Whether an empty value is encrypted too"),
  leakWatch: z
    .enum(["off", "alert", "block"])
    .describe("What is done when a field that no selection selects holds a card number"),
  caseSensitiveNames: z
    .boolean()
    .describe(
      "Whether the destination tells names of JSON members, fields and parameters apart that differ in letter case, `_` and `-` only, and attributes of XML from elements. Where it does not, a message with a name that could be taken for that of an encrypted value is refused",
    ),
  unknownContentTypes: z
    .enum(["refuse", "pass"])
    .describe(
      "What is done with a request whose body is to be encrypted and is of no known type. Images, video, audio, PDF and octet-stream pass always",
    ),
  unencryptableErrors: z
    .enum(["refuse", "drop-body"])
    .describe(
      "What is done with answers of status 3xx, 4xx and 5xx whose body is to be encrypted and is of a type that cannot be: `drop-body` passes their status and headers on",
    ),
}

export const destinationDomainSchema = z
  .string()
  .max(MAX_DESTINATION_CHARACTERS)
  .describe(
    "Host of the destination, with a port where it is not 443; `https://` before it may be left out. Cannot be changed",
  )

/** A relay in a request, without its client certificate, which files declare differently. */
export const relayInputShape = {
  destinationDomain: destinationDomainSchema,
  routes: relaySettingsShape.routes.default([]),
  authentication: relaySettingsShape.authentication.default(null),
  encryptEmptyStrings: relaySettingsShape.encryptEmptyStrings.default(true),
  leakWatch: relaySettingsShape.leakWatch.default("off"),
  caseSensitiveNames: relaySettingsShape.caseSensitiveNames.default(false),
  unknownContentTypes: relaySettingsShape.unknownContentTypes.default("refuse"),
  unencryptableErrors: relaySettingsShape.unencryptableErrors.default("refuse"),
}
