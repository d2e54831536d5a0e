import { sealedShape } from "@sealway/keys"
import { appPartition, type RecordKey, type Table } from "@sealway/ports"
import * as z from "zod"
import type { Connector } from "./connector.ts"

const particularsSchema = z.lazy(() =>
  z.object({ fingerprint: z.string(), expiresAt: z.number(), subject: z.string() }),
)

const itemSchema = z.lazy(() =>
  z.object({
    id: z.string(),
    appId: z.string(),
    url: z.string(),
    tls: z.object(sealedShape),
    clientCertificate: particularsSchema,
    caCertificate: particularsSchema.nullable(),
    secrets: z.array(z.object({ ...sealedShape, expiresAt: z.number().nullable() })),
    createdAt: z.number(),
    updatedAt: z.number().nullable(),
    revision: z.number(),
  }),
)

const keyOf = (appId: string): RecordKey => ({ pk: appPartition(appId), sk: "connector" })

/** Finds the connector of an app; null for none. */
export async function findConnector(table: Table, appId: string): Promise<Connector | null> {
  const item = await table.get(keyOf(appId))
  return item && itemSchema.parse(item)
}

/** Returns false when the app has one. */
export function createConnector(table: Table, connector: Connector): Promise<boolean> {
  return table.create(keyOf(connector.appId), { ...connector })
}

/**
 * Writes a connector over the revision that it was made from.
 *
 * @returns the stored connector; null when that revision was changed first
 */
export async function replaceConnector(table: Table, connector: Connector): Promise<Connector | null> {
  const isReplaced = await table.replace(keyOf(connector.appId), { ...connector }, connector.revision)
  return isReplaced ? { ...connector, revision: connector.revision + 1 } : null
}

/** Returns false when this revision was changed first. */
export function removeConnector(table: Table, { appId, revision }: Connector): Promise<boolean> {
  return table.remove(keyOf(appId), revision)
}
