import {
  appPartition,
  type Item,
  pageRecords,
  type RecordKey,
  type RecordPage,
  type RecordPageRequest,
  type Table,
} from "@sealway/ports"
import { SELECTION_TYPES, SUBJECT_SOURCES } from "@sealway/relay-engine"
import * as z from "zod"
import { DOMAIN_STATUSES, type DomainStatus } from "../edge/relay-edge.ts"
import { destinationKey } from "../relays/destination.ts"
import { type Destination, FORWARDED_HEADERS, type Relay } from "../relays/relay.ts"

const actionSchema = z.object({
  action: z.enum(["encrypt", "decrypt"]),
  dataSubject: z.object({ type: z.enum(SUBJECT_SOURCES), selector: z.string() }).exactOptional(),
  selections: z.array(
    z.object({
      type: z.enum(SELECTION_TYPES),
      selector: z.string(),
      namespaces: z.record(z.string(), z.string()).exactOptional(),
      role: z.string().nullable(),
    }),
  ),
})

/**
 * The content of a record. Fields with a default are newer: an older record reads as the relay was when it was written,
 * and gets all of them when it is changed.
 */
const itemSchema = z.object({
  id: z.string(),
  teamId: z.string(),
  appId: z.string(),
  destinationDomain: z.string(),
  destination: z.object({ scheme: z.enum(["https", "http"]), host: z.string(), port: z.number() }),
  relayDomain: z.string(),
  routes: z.array(
    z.object({
      method: z.string().nullable(),
      path: z.string(),
      request: z.array(actionSchema),
      response: z.array(actionSchema),
    }),
  ),
  authentication: z.enum(["api-key"]).nullable(),
  encryptEmptyStrings: z.boolean(),
  clientCertificate: z
    .object({
      format: z.enum(["pem", "pkcs12"]),
      keyVersion: z.int().positive(),
      sealed: z.instanceof(Uint8Array),
      fingerprint: z.string(),
      expiresAt: z.number(),
      subject: z.string(),
    })
    .nullable(),
  leakWatch: z.enum(["off", "alert", "block"]),
  caseSensitiveNames: z.boolean().default(false),
  unknownContentTypes: z.enum(["refuse", "pass"]).default("pass"),
  unencryptableErrors: z.enum(["refuse", "drop-body"]).default("refuse"),
  unmatched: z.enum(["refuse", "pass"]).default("pass"),
  passContentTypes: z.array(z.string()).default(["*"]),
  rewriteLocations: z.boolean().default(false),
  forwardedHeaders: z.enum(FORWARDED_HEADERS).default("off"),
  serverTiming: z.boolean().default(false),
  createdAt: z.number(),
  updatedAt: z.number(),
  revision: z.number(),
})

const pointerSchema = z.object({
  id: z.string(),
  host: z.string(),
  port: z.number(),
  domainStatus: z.enum(DOMAIN_STATUSES),
})

/** A relay, and the state of its domain at the edge. */
export interface ListedRelay {
  readonly relay: Relay
  readonly domainStatus: DomainStatus
}

/** The host and port of a destination, whatever its scheme. */
export type Place = Pick<Destination, "host" | "port">

/** A relay is stored under its destination, so that an app has one relay for it, however many are created at once. */
const AT = "relay-at#"
const LISTED = "relay#"
const MAX_NAMED_LOOKUPS = 20

const keyOf = (appId: string, place: Place): RecordKey => ({
  pk: appPartition(appId),
  sk: AT + destinationKey(place),
})
const listedKeyOf = (appId: string, id: string): RecordKey => ({ pk: appPartition(appId), sk: LISTED + id })
const namePartition = (place: Place) => `relay-destination#${destinationKey(place)}`
const nameKeyOf = (appId: string, place: Place): RecordKey => ({
  pk: namePartition(place),
  sk: appPartition(appId),
})

/** Finds the app's relay for a destination; null when there is none. */
export async function findRelayAt(table: Table, appId: string, place: Place): Promise<Relay | null> {
  const item = await table.get(keyOf(appId, place))
  return item && itemSchema.parse(item)
}

/** Finds the app's relay by id; null when there is none. */
export async function findRelay(table: Table, appId: string, id: string): Promise<ListedRelay | null> {
  const item = await table.get(listedKeyOf(appId, id))
  return item && open(table, appId, item)
}

/** Lists the app's relays, newest first. */
export function pageRelays(
  table: Table,
  appId: string,
  request: RecordPageRequest,
): Promise<RecordPage<ListedRelay>> {
  return pageRecords(table, appPartition(appId), LISTED, request, (item) => open(table, appId, item))
}

/** Lists all relays of an app, in no particular order. */
export async function listRelays(table: Table, appId: string): Promise<readonly Relay[]> {
  return (await table.list(appPartition(appId), AT)).map((item) => itemSchema.parse(item))
}

/** Whether any app has a relay for a destination. */
export async function isDestinationOfSomebody(table: Table, place: Place): Promise<boolean> {
  const { items } = await table.page(namePartition(place), "", { limit: MAX_NAMED_LOOKUPS })
  for (const { appId } of items) {
    // An entry can outlive its relay when a process ends at the wrong moment.
    if ((await findRelayAt(table, String(appId), place)) !== null) return true
  }
  return false
}

/**
 * Writes a new relay. Returns false when the app has one for the destination.
 *
 * The references to the relay are written first: readers skip a dangling reference, but a relay without references
 * would be lost.
 */
export async function createRelay(table: Table, relay: Relay): Promise<boolean> {
  const { id, appId, destination, createdAt } = relay
  await putDomainStatus(table, relay, "pending")
  await table.put(nameKeyOf(appId, destination), { appId, relayId: id, revision: createdAt })
  if (await table.create(keyOf(appId, destination), { ...relay })) return true
  await table.remove(listedKeyOf(appId, id), 1)
  return false
}

/**
 * Writes a changed relay over the revision that it was made from. Returns false when that one was changed or removed
 * first.
 */
export function replaceRelay(table: Table, relay: Relay): Promise<boolean> {
  return table.replace(keyOf(relay.appId, relay.destination), { ...relay }, relay.revision)
}

/** Removes a relay at any revision. Returns false when it was gone. Safe to repeat. */
export async function removeRelay(
  table: Table,
  { id, appId, destination, createdAt }: Relay,
): Promise<boolean> {
  let isRemoved = false
  for (;;) {
    const found = await findRelayAt(table, appId, destination)
    if (found === null || found.id !== id) break
    isRemoved = await table.remove(keyOf(appId, destination), found.revision)
    if (isRemoved) break
  }
  await table.remove(nameKeyOf(appId, destination), createdAt)
  await table.remove(listedKeyOf(appId, id), 1)
  return isRemoved
}

/** Stores the state of a relay's domain at the edge. */
export async function putDomainStatus(
  table: Table,
  { id, appId, destination: { host, port } }: Pick<Relay, "id" | "appId" | "destination">,
  domainStatus: DomainStatus,
): Promise<void> {
  await table.put(listedKeyOf(appId, id), { id, host, port, domainStatus, revision: 1 })
}

async function open(table: Table, appId: string, item: Item): Promise<ListedRelay | null> {
  const { id, domainStatus, ...place } = pointerSchema.parse(item)
  const relay = await findRelayAt(table, appId, place)
  return relay?.id === id ? { relay, domainStatus } : null
}
