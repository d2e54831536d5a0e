import { MAX_ROUTES, PASSABLE_TYPES, SELECTION_TYPES, SUBJECT_SOURCES } from "@sealway/relay-engine"
import { ROLE_SLUG } from "@sealway/tokens"
import * as z from "zod"
import { MAX_DESTINATION_CHARACTERS } from "../relays/destination.ts"
import { FORWARDED_HEADERS } from "../relays/relay.ts"

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
      .regex(/^(?!xml)[^\s:@{}*'"[\]]+$/i, "A prefix must not contain a colon or begin with xml"),
    z.string().min(1).max(MAX_URI_CHARACTERS),
  )
  .refine(
    (namespaces) => Object.keys(namespaces).length <= MAX_NAMESPACES,
    `At most ${MAX_NAMESPACES} namespaces are allowed`,
  )

const selectionSchema = z.strictObject({
  type: z
    .enum(SELECTION_TYPES)
    .default("json")
    .describe(
      "Where to look: in the body (by format), in the query string, in headers, or in the files of a multipart body",
    ),
  selector: z
    .string()
    .min(1)
    .max(MAX_SELECTOR_CHARACTERS)
    .describe(
      "JSONPath (RFC 9535) for `json` and `xml`; the field's name for `form`, `query`, `file` and `header`",
    ),
  namespaces: namespacesSchema
    .exactOptional()
    .describe(
      "Only for `xml`: the namespace URI of each prefix in the selector. Names then match whatever prefix the document uses for the namespace",
    ),
  role: z
    .string()
    .regex(ROLE_SLUG, "A slug must be 1 to 20 characters from a-z, 0-9 and -")
    .nullable()
    .default(null)
    .describe("Slug of the data role to encrypt values with; null for none"),
})

const checkedSelectionSchema = selectionSchema
  .refine(({ type, namespaces }) => type === "xml" || namespaces === undefined, {
    path: ["namespaces"],
    message: "Only a selection of type xml can have namespaces",
  })
  .meta({ id: "Selection" })

export const actionShape = {
  action: z.enum(["encrypt", "decrypt"]).describe("`encrypt` skips tokens; `decrypt` skips everything else"),
  dataSubject: z
    .strictObject({
      type: z.enum(SUBJECT_SOURCES),
      selector: z
        .string()
        .min(1)
        .max(MAX_SELECTOR_CHARACTERS)
        .describe("The header's name, or JSONPath (RFC 9535) for `json`: a string or an integer"),
    })
    .meta({ id: "DataSubjectSource" })
    .exactOptional()
    .describe(
      "Only for `encrypt`: where the message has your id of the data subject whose key seals the values. A message with values to encrypt and no such id is refused. The header `X-Service-Data-Subject` is not passed on",
    ),
}

const actionSchema = z
  .strictObject({
    ...actionShape,
    selections: z.array(checkedSelectionSchema).min(1).max(MAX_SELECTIONS_PER_ACTION),
  })
  .refine(({ action, dataSubject }) => action === "encrypt" || dataSubject === undefined, {
    path: ["dataSubject"],
    message: "Only an action that encrypts can have a data subject",
  })
  .meta({ id: "Action" })

const actionsSchema = z.array(actionSchema).max(MAX_ACTIONS).default([])

export const routeSchema = z
  .strictObject({
    method: z.enum(METHODS).nullable().default(null).describe("Null: every method"),
    path: z
      .string()
      .max(MAX_PATH_CHARACTERS)
      .regex(PATH, "A path must begin with / and must not contain white space, ?, # or a backslash")
      .describe("`*` matches one segment; `/**` at the end matches everything below"),
    request: actionsSchema.describe("Actions on requests"),
    response: actionsSchema.describe("Actions on responses"),
  })
  .meta({ id: "Route" })

/** The changeable settings of a relay, without defaults. */
export const relaySettingsShape = {
  routes: z
    .array(routeSchema)
    .max(MAX_ROUTES)
    .describe("The actions of every matching route apply, in this order"),
  authentication: z
    .enum(["api-key"])
    .nullable()
    .describe("`api-key`: requests need the headers X-Service-Api-Key and X-Service-App-Id; null: none"),
  encryptEmptyStrings: z.boolean().describe("Whether to encrypt empty strings"),
  leakWatch: z
    .enum(["off", "alert", "block"])
    .describe("What to do when a field that no selection covers contains a card number"),
  caseSensitiveNames: z
    .boolean()
    .describe(
      "Whether the destination distinguishes names of JSON fields, form fields and parameters that differ only in letter case, `_` and `-`, and XML attributes from elements. If `false`, the relay refuses a message with a name that could be mistaken for that of an encrypted value",
    ),
  unknownContentTypes: z
    .enum(["refuse", "pass"])
    .describe(
      "What to do with a request whose body must be encrypted but has an unknown type. Images, video, audio, PDF and octet-stream always pass",
    ),
  unencryptableErrors: z
    .enum(["refuse", "drop-body"])
    .describe(
      "What to do with 3xx, 4xx and 5xx responses whose body must be encrypted but has a type that cannot be: `drop-body` passes on only their status and headers",
    ),
  unmatched: z
    .enum(["refuse", "pass"])
    .describe("What to do with a request that matches no route, if the relay has an action that encrypts"),
  passContentTypes: z
    .array(z.enum(PASSABLE_TYPES))
    .max(PASSABLE_TYPES.length)
    .refine((types) => new Set(types).size === types.length, "A type may be listed only once")
    .describe(
      "Types of bodies that pass although other bodies of the route are encrypted, if they begin with the magic bytes of their type. `application/octet-stream` passes with any content, and `*` passes all types that the relay knows",
    ),
  rewriteLocations: z
    .boolean()
    .describe(
      "Whether URLs of the destination in `Location`, `Content-Location`, `Refresh` and `Link` become the relay's. If `false`, a redirect leads a client past the relay, and it sends its request there unencrypted",
    ),
  forwardedHeaders: z
    .enum(FORWARDED_HEADERS)
    .describe(
      "How the destination learns at which address a request arrived: by `X-Forwarded-Host` and `X-Forwarded-Proto`, by `Forwarded` (RFC 7239), or not. It always gets the client's address in `X-Forwarded-For`",
    ),
  serverTiming: z
    .boolean()
    .describe("Whether answers to requests with an API key have a header `Server-Timing` of the relay"),
}

export const destinationDomainSchema = z
  .string()
  .max(MAX_DESTINATION_CHARACTERS)
  .describe(
    "Host of the destination, with its port unless it is 443; the prefix `https://` is optional. Cannot be changed",
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
  unmatched: relaySettingsShape.unmatched.default("pass"),
  passContentTypes: relaySettingsShape.passContentTypes.default([]),
  rewriteLocations: relaySettingsShape.rewriteLocations.default(true),
  forwardedHeaders: relaySettingsShape.forwardedHeaders.default("x-forwarded"),
  serverTiming: relaySettingsShape.serverTiming.default(false),
}
