import type { App } from "@sealway/accounts"
import { ConflictError, isId, NotFoundError, requireDestinationUrl } from "@sealway/kernel"
import { type AuditAuthor, type AuditEntry, appEntry, recordChanges } from "@sealway/records"
import type { WebhookDependencies } from "../dependencies.ts"
import { endpointRecords, secretsInForce, type WebhookEndpoint } from "../records/webhook-endpoint-table.ts"
import { generateSecret, sealSecret } from "../signing/secret.ts"

/** The maximum number of endpoints of an app. */
export const MAX_ENDPOINTS = 50
/** The maximum number of secrets of an endpoint that sign at the same time. */
const MAX_SECRETS = 5

const endpointChanges = recordChanges({
  records: endpointRecords,
  max: MAX_ENDPOINTS,
  tooMany: `The app has ${MAX_ENDPOINTS} webhook endpoints, the maximum.`,
  changedMeanwhile: "Another request is changing this webhook endpoint. Try again.",
  forget: ({ events }: WebhookDependencies, appId) => events.forget(appId),
})

export type EndpointSettings = Pick<WebhookEndpoint, "url" | "events" | "description" | "status">

/** An endpoint with the only copy of its secret. */
export interface EndpointWithSecret {
  readonly endpoint: WebhookEndpoint
  /** `whsec_…` */
  readonly secret: string
}

/** Finds an endpoint. @throws NotFoundError when the app has no such endpoint */
export async function requireEndpoint(
  { configTable }: Pick<WebhookDependencies, "configTable">,
  app: App,
  id: string,
): Promise<WebhookEndpoint> {
  const endpoint = isId("webhook_endpoint", id)
    ? await endpointRecords.find(configTable, app.id, { id })
    : null
  if (endpoint === null) throw new NotFoundError("The webhook endpoint")
  return endpoint
}

/**
 * Creates an endpoint.
 *
 * @throws InvalidRequestError when the URL is not allowed, ConflictError when the app has 50 endpoints
 */
export async function addEndpoint(
  dependencies: WebhookDependencies,
  app: App,
  settings: EndpointSettings,
  author: AuditAuthor,
): Promise<EndpointWithSecret> {
  const { configTable, keyring, draws, wallClock } = dependencies
  requireUrl(settings.url, dependencies)
  endpointChanges.requireRoom(await endpointRecords.list(configTable, app.id))
  const createdAt = wallClock()
  const id = draws.newId("webhook_endpoint", createdAt)
  const secret = generateSecret(draws)
  const endpoint: WebhookEndpoint = {
    ...settings,
    id,
    appId: app.id,
    secrets: [await sealSecret(keyring, app, id, secret)],
    createdAt,
    updatedAt: createdAt,
    revision: 1,
  }
  const entry = { ...entryOf(app, endpoint, "create", author), details: detailsOf(settings) }
  await endpointChanges.create(dependencies, entry, app.id, endpoint)
  return { endpoint, secret }
}

/**
 * Changes an endpoint.
 *
 * @throws NotFoundError when the app has no such endpoint, InvalidRequestError when the URL is not allowed,
 * ConflictError when another call changes the endpoint at the same time
 */
export async function changeEndpoint(
  dependencies: WebhookDependencies,
  app: App,
  id: string,
  changes: Partial<EndpointSettings>,
  author: AuditAuthor,
): Promise<WebhookEndpoint> {
  const endpoint = await requireEndpoint(dependencies, app, id)
  if (changes.url !== undefined) requireUrl(changes.url, dependencies)
  const changed = { ...endpoint, ...changes, updatedAt: dependencies.wallClock() }
  const entry = { ...entryOf(app, endpoint, "update", author), details: detailsOf(changes) }
  return endpointChanges.replace(dependencies, entry, app.id, changed)
}

/**
 * Deletes an endpoint.
 *
 * @throws NotFoundError when the app has no such endpoint, ConflictError when another call changes it first
 */
export async function removeEndpoint(
  dependencies: WebhookDependencies,
  app: App,
  id: string,
  author: AuditAuthor,
): Promise<void> {
  const endpoint = await requireEndpoint(dependencies, app, id)
  const entry = entryOf(app, endpoint, "delete", author)
  await endpointChanges.remove(dependencies, entry, app.id, endpoint)
}

/**
 * Adds a secret, which signs first from then on. Earlier ones keep signing until the overlap ends.
 *
 * @throws NotFoundError when the app has no such endpoint, ConflictError when five secrets would sign at the same time,
 * or another call changes the endpoint first
 */
export async function rotateEndpointSecret(
  dependencies: WebhookDependencies,
  app: App,
  id: string,
  overlapMs: number,
  author: AuditAuthor,
): Promise<EndpointWithSecret> {
  const { keyring, draws, wallClock } = dependencies
  const endpoint = await requireEndpoint(dependencies, app, id)
  const nowMs = wallClock()
  const overlapEndsAt = nowMs + overlapMs
  const older =
    overlapMs === 0
      ? []
      : secretsInForce(endpoint, nowMs).map((each) => ({
          ...each,
          expiresAt: Math.min(each.expiresAt ?? overlapEndsAt, overlapEndsAt),
        }))
  if (older.length >= MAX_SECRETS) {
    throw new ConflictError(
      `This endpoint has ${MAX_SECRETS} active secrets, the maximum. Wait for one to expire, or rotate without an overlap.`,
    )
  }
  const secret = generateSecret(draws)
  const secrets = [await sealSecret(keyring, app, id, secret), ...older]
  const details = { overlapSeconds: overlapMs / 1000 }
  const entry = { ...entryOf(app, endpoint, "rotate-secret", author), details }
  const rotated = { ...endpoint, secrets, updatedAt: nowMs }
  return { endpoint: await endpointChanges.replace(dependencies, entry, app.id, rotated), secret }
}
function requireUrl(url: string, { allowPrivateDestinations }: WebhookDependencies): void {
  requireDestinationUrl(url, "/url", { allowPrivate: allowPrivateDestinations })
}

function entryOf(app: App, { id }: WebhookEndpoint, verb: string, author: AuditAuthor): AuditEntry {
  return appEntry(app, { type: "webhook-endpoint", id }, verb, author)
}

/** Shows only the host of a URL: paths and parameters of receivers are often secrets. */
function detailsOf({ url, events, status }: Partial<EndpointSettings>) {
  return {
    ...(url !== undefined && { host: URL.parse(url)?.host ?? null }),
    ...(events !== undefined && { events: events.join(" ") }),
    ...(status !== undefined && { status }),
  }
}
