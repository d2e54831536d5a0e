import { createHash } from "node:crypto"
import type { Draws, RecordKey, Table } from "@sealway/ports"
import * as z from "zod"
import { SESSION_MS } from "./session.ts"

const TOKEN_BYTES = 24
const itemSchema = z.object({ appId: z.string(), sessionId: z.string() })

/** The session that a page token leads to. */
export interface PagePlace {
  readonly appId: string
  readonly sessionId: string
}

export const newPageToken = ({ randomBytes }: Pick<Draws, "randomBytes">): string =>
  randomBytes(TOKEN_BYTES).toString("base64url")

/** Only the hash is stored readably. */
const keyOf = (token: string): RecordKey => ({
  pk: `3ds-page#${createHash("sha256").update(token).digest("base64url")}`,
  sk: "page",
})

/** Stores a page token for ten minutes. @param nowMs epoch milliseconds */
export function keepPageToken(table: Table, token: string, place: PagePlace, nowMs: number): Promise<void> {
  const expiresAt = Math.ceil((nowMs + SESSION_MS) / 1000)
  return table.put(keyOf(token), { ...place, expiresAt, revision: 1 })
}

/** Returns null when the token is unknown or expired. */
export async function findByPageToken(table: Table, token: string): Promise<PagePlace | null> {
  const item = await table.get(keyOf(token))
  return item && itemSchema.parse(item)
}
