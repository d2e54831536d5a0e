import { hashApiKey } from "@sealway/accounts"
import type { Table } from "@sealway/ports"

/** Makes an API key look as if it were issued by a release that did not know inherited scopes. */
export async function makeOldApiKey(keysTable: Table, key: string): Promise<void> {
  const place = { pk: `api-key#${hashApiKey(key)}`, sk: "api-key" }
  const { inheritedScopes, limits: _limits, ...old } = (await keysTable.get(place)) ?? {}
  if (inheritedScopes === undefined) throw new Error("The key is missing, or old already")
  await keysTable.put(place, old)
}
