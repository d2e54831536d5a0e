import { getKeys, getTeam } from "@sealway/sdk/api"
import type { CliHost } from "../terminal/host.ts"
import { type Credentials, connect } from "./connect.ts"
import type { ServiceUrl } from "./service-address.ts"

/** The owner of a key. */
export interface KeyOwner {
  readonly kind: "app" | "team"
  readonly id: string
}

const TEAM_KEY_PREFIX = "swk_team_"

/**
 * Tests a key with a call that changes nothing and needs no scope.
 *
 * @throws AuthenticationError when it is not valid
 */
export async function identifyKey(
  host: CliHost,
  url: ServiceUrl,
  credentials: Credentials,
  timeoutMs: number,
): Promise<KeyOwner> {
  const service = connect(host, url, credentials, timeoutMs)
  return credentials.key.startsWith(TEAM_KEY_PREFIX)
    ? { kind: "team", id: (await getTeam(service)).id }
    : { kind: "app", id: (await getKeys(service)).appUuid }
}
