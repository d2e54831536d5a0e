import type { App } from "@sealway/accounts"
import { isId, NotFoundError } from "@sealway/kernel"
import type { Table } from "@sealway/ports"
import type { Relay } from "../relays/relay.ts"
import { findRelay, type ListedRelay } from "./relay-table.ts"

interface Records {
  readonly configTable: Table
}

/** Finds a relay. @throws NotFoundError when the app has no such relay */
export async function requireRelay(records: Records, app: App, id: string): Promise<Relay> {
  return (await requireListedRelay(records, app, id)).relay
}

/** @throws NotFoundError when the app has no such relay */
export async function requireListedRelay(
  { configTable }: Records,
  app: App,
  id: string,
): Promise<ListedRelay> {
  const found = isId("relay", id) ? await findRelay(configTable, app.id, id) : null
  if (found === null) throw new NotFoundError("The relay")
  return found
}
