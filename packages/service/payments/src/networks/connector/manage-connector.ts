import type { App } from "@sealway/accounts"
import { ConflictError, NotFoundError } from "@sealway/kernel"
import type { Keyring } from "@sealway/keys"
import type { Draws, Table } from "@sealway/ports"
import { type AuditAuthor, type AuditLog, appEntry, audited } from "@sealway/records"
import { generateSecret } from "@sealway/webhooks"
import { type Connector, secretsInForce } from "./connector.ts"
import { type ConnectorClient, ConnectorError, type ConnectorFailure } from "./connector-client.ts"
import type { ConnectorDirectory } from "./connector-directory.ts"
import { type ConnectorInput, examineConnector } from "./connector-input.ts"
import { sealConnectorSecret, sealConnectorTls } from "./connector-seals.ts"
import { createConnector, findConnector, removeConnector, replaceConnector } from "./connector-table.ts"

/** The dependencies for changing connectors. */
export interface ConnectorDependencies {
  readonly paymentsTable: Table
  readonly keyring: Pick<Keyring, "newest" | "open">
  readonly draws: Pick<Draws, "randomBytes">
  readonly audit: AuditLog
  readonly connectors: Pick<ConnectorDirectory, "find" | "forget">
  readonly connectorClient: Pick<ConnectorClient, "ping">
  readonly allowPrivateDestinations: boolean
  /** A monotonic clock, in milliseconds. */
  readonly now: () => number
  /** Epoch milliseconds. */
  readonly wallClock: () => number
}

/** A connector with the only copy of a new secret. */
export interface ConnectorWithSecret {
  readonly connector: Connector
  /** `whsec_…` */
  readonly secret: string
}

/** The maximum number of secrets that sign at the same time. */
const MAX_SECRETS = 5

const REVISION_BYTES = 6
const ID_BYTES = 16

/**
 * The first revision of a new connector differs from those of the app's earlier, deleted one. Otherwise connections
 * with the old certificates would be used for the new connector, and a change based on the old one would apply to the
 * new one.
 */
const firstRevision = (draws: Pick<Draws, "randomBytes">): number =>
  draws.randomBytes(REVISION_BYTES).readUIntBE(0, REVISION_BYTES)

/** Finds the connector of an app. @throws NotFoundError when the app has none */
export async function requireConnector(
  { paymentsTable }: Pick<ConnectorDependencies, "paymentsTable">,
  app: App,
): Promise<Connector> {
  const connector = await findConnector(paymentsTable, app.id)
  if (connector === null) throw new NotFoundError("The connector")
  return connector
}

/**
 * Sets an app's connector. An existing one keeps its secrets, which are not shown again.
 *
 * @throws InvalidRequestError when it is invalid, ConflictError for a sandbox app, or when it is changed meanwhile
 */
export async function setConnector(
  dependencies: ConnectorDependencies,
  app: App,
  input: ConnectorInput,
  author: AuditAuthor,
): Promise<{ readonly connector: Connector; readonly secret: string | null }> {
  const { paymentsTable, keyring, draws, audit, connectors, wallClock } = dependencies
  if (app.environment === "sandbox") {
    throw new ConflictError("A sandbox app has no connector: its card networks are simulated.")
  }
  const examined = examineConnector(input, dependencies)
  const before = await findConnector(paymentsTable, app.id)
  const nowMs = wallClock()
  const tls = await sealConnectorTls(keyring, app, input)
  const entry = { ...entryOf(app, "set", author), details: { host: URL.parse(examined.url)?.host ?? null } }
  return audited(audit, entry, async () => {
    if (before !== null) {
      const connector = await replaceConnector(paymentsTable, {
        ...before,
        ...examined,
        tls,
        updatedAt: nowMs,
      })
      if (connector === null) throw changedMeanwhile()
      connectors.forget(app.id)
      return { connector, secret: null }
    }
    const secret = generateSecret(draws)
    const sealed = await sealConnectorSecret(keyring, app, secret)
    const connector: Connector = {
      id: draws.randomBytes(ID_BYTES).toString("base64url"),
      appId: app.id,
      ...examined,
      tls,
      secrets: [{ ...sealed, expiresAt: null }],
      createdAt: nowMs,
      updatedAt: null,
      revision: firstRevision(draws),
    }
    if (!(await createConnector(paymentsTable, connector))) throw changedMeanwhile()
    connectors.forget(app.id)
    return { connector, secret }
  })
}

/**
 * Adds a secret, which signs first from then on. Earlier ones stay valid until the overlap ends.
 *
 * @throws NotFoundError, ConflictError when five secrets would be in force, or it is changed meanwhile
 */
export async function rotateConnectorSecret(
  dependencies: ConnectorDependencies,
  app: App,
  overlapMs: number,
  author: AuditAuthor,
): Promise<ConnectorWithSecret> {
  const { paymentsTable, keyring, draws, audit, connectors, wallClock } = dependencies
  const before = await requireConnector(dependencies, app)
  const nowMs = wallClock()
  const endsAt = nowMs + overlapMs
  const older =
    overlapMs === 0
      ? []
      : secretsInForce(before, nowMs).map((each) => ({
          ...each,
          expiresAt: Math.min(each.expiresAt ?? endsAt, endsAt),
        }))
  if (older.length >= MAX_SECRETS) {
    throw new ConflictError(
      `The connector has ${MAX_SECRETS} active secrets, the maximum. Wait for one to expire, or rotate without an overlap.`,
    )
  }
  const secret = generateSecret(draws)
  const sealed = await sealConnectorSecret(keyring, app, secret)
  const secrets = [{ ...sealed, expiresAt: null }, ...older]
  const entry = { ...entryOf(app, "rotate-secret", author), details: { overlapSeconds: overlapMs / 1000 } }
  return audited(audit, entry, async () => {
    const connector = await replaceConnector(paymentsTable, { ...before, secrets, updatedAt: nowMs })
    if (connector === null) throw changedMeanwhile()
    connectors.forget(app.id)
    return { connector, secret }
  })
}

/** Deletes the connector. @throws NotFoundError, ConflictError when it is changed meanwhile */
export async function deleteConnector(
  dependencies: ConnectorDependencies,
  app: App,
  author: AuditAuthor,
): Promise<void> {
  const connector = await requireConnector(dependencies, app)
  await audited(dependencies.audit, entryOf(app, "delete", author), async () => {
    if (!(await removeConnector(dependencies.paymentsTable, connector))) throw changedMeanwhile()
    dependencies.connectors.forget(app.id)
  })
}

export type ConnectorTestResult =
  | { readonly status: "ok" }
  | { readonly status: "failed"; readonly reason: ConnectorFailure; readonly statusCode: number | null }

/**
 * Asks the connector whether it is reachable.
 *
 * @throws NotFoundError when the app has none, ConflictError when the app is disabled
 */
export async function testConnector(
  { connectors, connectorClient }: Pick<ConnectorDependencies, "connectors" | "connectorClient">,
  app: App,
): Promise<ConnectorTestResult> {
  if (app.status === "disabled") {
    throw new ConflictError("The app is disabled. Its connector is not called until the app is enabled.")
  }
  connectors.forget(app.id)
  const target = await connectors.find(app)
  if (target === null) throw new NotFoundError("The connector")
  try {
    await connectorClient.ping(target)
    return { status: "ok" }
  } catch (error) {
    if (!(error instanceof ConnectorError)) throw error
    return { status: "failed", reason: error.reason, statusCode: error.statusCode }
  }
}

function changedMeanwhile(): ConflictError {
  return new ConflictError("The connector is being changed by another request. Try again.")
}

function entryOf(app: App, verb: "set" | "rotate-secret" | "delete", author: AuditAuthor) {
  return appEntry(app, { type: "connector", id: app.id }, verb, author)
}
