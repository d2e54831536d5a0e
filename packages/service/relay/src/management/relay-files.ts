import { jsonPointer } from "@sealway/kernel"
import * as z from "zod"
import { destinationKey, parseDestination } from "../relays/destination.ts"
import { routeProblems } from "./check-routes.ts"
import { relayInputShape, relaySettingsShape } from "./relay-input.ts"

const pathSchema = z.string().min(1).max(1_024)
const variableSchema = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/, "Not a valid name of an environment variable")
  .nullable()
  .default(null)

/** Where a client certificate is. Files never contain keys or passwords themselves. Paths are relative to the file. */
const clientCertificateFilesSchema = z.discriminatedUnion("format", [
  z.strictObject({
    format: z.literal("pem"),
    certificate: pathSchema,
    privateKey: pathSchema,
    passwordVariable: variableSchema,
  }),
  z.strictObject({ format: z.literal("pkcs12"), file: pathSchema, passwordVariable: variableSchema }),
])

export type ClientCertificateFiles = z.infer<typeof clientCertificateFilesSchema>

const relayFileSchema = z.strictObject({
  ...relayInputShape,
  clientCertificate: clientCertificateFilesSchema.nullable().default(null),
  // Existing relays keep settings that no file mentions: files older than these options must not change them.
  caseSensitiveNames: relaySettingsShape.caseSensitiveNames.exactOptional(),
  unknownContentTypes: relaySettingsShape.unknownContentTypes.exactOptional(),
  unencryptableErrors: relaySettingsShape.unencryptableErrors.exactOptional(),
  unmatched: relaySettingsShape.unmatched.exactOptional(),
  passContentTypes: relaySettingsShape.passContentTypes.exactOptional(),
  rewriteLocations: relaySettingsShape.rewriteLocations.exactOptional(),
  forwardedHeaders: relaySettingsShape.forwardedHeaders.exactOptional(),
  serverTiming: relaySettingsShape.serverTiming.exactOptional(),
})

/** A relay as declared in files. */
export interface DeclaredRelay extends z.infer<typeof relayFileSchema> {
  /** Identifies it: host and port of its destination. */
  readonly key: string
  /** The name of its document. */
  readonly file: string
  /** JSON Pointer to it in the document: empty, or `/0` in a list. */
  readonly pointer: string
}

/** A parsed document and the name of the file that it came from. */
export interface RelayDocument {
  readonly file: string
  readonly content: unknown
}

/** A problem in a file. */
export interface RelayFileProblem {
  readonly file: string
  /** JSON Pointer into the file's document. */
  readonly pointer: string
  readonly reason: string
}

export type RelayFilesResult =
  | { readonly ok: true; readonly relays: readonly DeclaredRelay[] }
  | { readonly ok: false; readonly problems: readonly RelayFileProblem[] }

/**
 * Reads files of relays as one: each document is a relay, or a list of them. Makes the service's checks of routes, and
 * checks that no destination occurs twice. Whether private destinations are allowed is up to the service.
 */
export function readRelayFiles(documents: readonly RelayDocument[]): RelayFilesResult {
  const problems: RelayFileProblem[] = []
  const relays = new Map<string, DeclaredRelay>()
  for (const { file, content } of documents) {
    const items = Array.isArray(content)
      ? content.map((value: unknown, index) => ({ value, pointer: `/${index}` }))
      : [{ value: content, pointer: "" }]
    for (const { value, pointer } of items) {
      const add = (place: string, reason: string) => problems.push({ file, pointer: pointer + place, reason })
      const parsed = relayFileSchema.safeParse(value)
      if (!parsed.success) {
        for (const { path, message } of parsed.error.issues) add(jsonPointer(path), message)
        continue
      }
      const relay = parsed.data
      for (const problem of routeProblems(relay.routes)) add(problem.pointer, problem.reason)
      const destination = parseDestination(relay.destinationDomain, { allowPrivate: true })
      if (!destination.ok) {
        add("/destinationDomain", destination.reason)
        continue
      }
      const key = destinationKey(destination.destination)
      if (relays.has(key)) add("/destinationDomain", "Another relay has this destination")
      relays.set(key, { ...relay, key, file, pointer })
    }
  }
  return problems.length > 0 ? { ok: false, problems } : { ok: true, relays: [...relays.values()] }
}
