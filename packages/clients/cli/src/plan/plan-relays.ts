import type { DeclaredRelay } from "@sealway/relay/files"
import type { ChangePlan, KeptField } from "./change-plan.ts"
import { compareValues, type FieldChange } from "./compare-values.ts"

/** Options that a relay keeps when its file does not name them. */
const KEPT = [
  "caseSensitiveNames",
  "unknownContentTypes",
  "unencryptableErrors",
  "unmatched",
  "passContentTypes",
  "rewriteLocations",
  "forwardedHeaders",
  "serverTiming",
] as const
type KeptOption = (typeof KEPT)[number]
/** The values for a new relay from a file. The API's own default for `unmatched` is `pass`. */
export const NEW_RELAY_OPTIONS: Required<KeptOptions> = {
  caseSensitiveNames: false,
  unknownContentTypes: "refuse",
  unencryptableErrors: "refuse",
  unmatched: "refuse",
  passContentTypes: [],
  rewriteLocations: true,
  forwardedHeaders: "x-forwarded",
  serverTiming: false,
}
export type KeptOptions = Pick<DeclaredRelay, KeptOption>

/** The settings of a relay in both files and the service. */
export type RelayState = Pick<
  DeclaredRelay,
  "destinationDomain" | "routes" | "authentication" | "encryptEmptyStrings" | "leakWatch" | KeptOption
> & {
  /** Identifies it: host and port of its destination. */
  readonly key: string
  /** Fingerprint of the client certificate; null for none. */
  readonly clientCertificate: string | null
}

/** A relay as stored by the service. Fields of routes may be in any order. */
export interface StoredRelay extends Omit<RelayState, "routes" | KeptOption>, Required<KeptOptions> {
  readonly id: string
  readonly routes: readonly unknown[]
  /** What the service says about settings that are risky. */
  readonly warnings: readonly { readonly pointer: string; readonly detail: string }[]
}

export type RelayChange =
  | { readonly action: "create"; readonly kind: "relay"; readonly name: string; readonly after: RelayState }
  | {
      readonly action: "update"
      readonly kind: "relay"
      readonly name: string
      readonly id: string
      readonly after: RelayState
      readonly fields: readonly FieldChange[]
    }
  | { readonly action: "delete"; readonly kind: "relay"; readonly name: string; readonly id: string }

/**
 * Plans the changes that make the service's relays match the files. A relay is identified by its destination.
 *
 * @param prune true: deletes what no file names
 */
export function planRelays(
  wanted: readonly RelayState[],
  stored: readonly StoredRelay[],
  prune: boolean,
): ChangePlan<RelayChange> {
  const before = new Map(stored.map((relay) => [relay.key, relay]))
  const named = new Set(wanted.map(({ key }) => key))
  const surplus = stored.filter(({ key }) => !named.has(key))
  const changes = wanted.flatMap((after): RelayChange[] => {
    const found = before.get(after.key)
    const name = after.destinationDomain
    if (found === undefined) return [{ action: "create", kind: "relay", name, after }]
    const fields = fieldChanges(found, after)
    return fields.length === 0 ? [] : [{ action: "update", kind: "relay", name, id: found.id, after, fields }]
  })
  const nameOf = ({ destinationDomain: name }: StoredRelay) => ({ kind: "relay", name }) as const
  const deletions = surplus.map(
    (relay): RelayChange => ({ action: "delete", ...nameOf(relay), id: relay.id }),
  )
  return {
    kept: wanted.flatMap((after) => keptFields(before.get(after.key), after)),
    changes: prune ? [...changes, ...deletions] : changes,
    unmanaged: prune ? [] : surplus.map(nameOf),
    problems: [],
  }
}

/** Returns the service's values of options that a file does not name, if a new relay would have different ones. */
function keptFields(before: StoredRelay | undefined, after: RelayState): KeptField[] {
  if (before === undefined) return []
  const kept = KEPT.filter(
    (field) =>
      after[field] === undefined && compareValues(before[field], NEW_RELAY_OPTIONS[field]).length > 0,
  )
  return kept.map((field) => {
    const warning = before.warnings.find(({ pointer }) => pointer === `/${field}`)?.detail
    return {
      kind: "relay",
      name: after.destinationDomain,
      field,
      value: before[field],
      ...(warning !== undefined && { warning }),
    }
  })
}

/** Returns the options that the file names. */
export function namedOptions(relay: KeptOptions): KeptOptions {
  return Object.fromEntries(
    KEPT.flatMap((field) => (relay[field] === undefined ? [] : [[field, relay[field]]])),
  )
}

function fieldChanges(before: StoredRelay, after: RelayState): FieldChange[] {
  const settingsOf = ({ authentication, encryptEmptyStrings, leakWatch, clientCertificate }: Settings) => ({
    authentication,
    encryptEmptyStrings,
    leakWatch,
    clientCertificate,
  })
  const length = Math.max(before.routes.length, after.routes.length)
  const routes = Array.from(
    { length },
    (_, index): FieldChange => ({
      field: `routes.${index}`,
      before: before.routes[index],
      after: after.routes[index],
    }),
  )
  return [
    ...compareValues(
      { ...settingsOf(before), ...namedOptions(before) },
      { ...settingsOf(after), ...namedOptions(before), ...namedOptions(after) },
    ),
    // In order, because routes apply one after another.
    ...routes.filter((route) => orderedText(route.before) !== orderedText(route.after)),
  ]
}

type Settings = Pick<RelayState, "authentication" | "encryptEmptyStrings" | "leakWatch" | "clientCertificate">

/**
 * Returns the same text for equal values, for any order of fields; the order of elements matters. Null equals absent.
 */
function orderedText(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "undefined"
  if (Array.isArray(value)) return `[${value.map(orderedText).join()}]`
  const members = Object.entries(value)
    .filter(([, member]) => member !== null)
    .sort(([left], [right]) => (left < right ? -1 : 1))
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${orderedText(member)}`).join()}}`
}
