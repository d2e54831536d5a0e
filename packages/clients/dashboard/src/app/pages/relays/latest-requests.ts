import { listRelayActivity, type RelayActivity } from "@sealway/sdk/api"
import type { CurrentApp } from "../../api/app.ts"

/** How many of the latest requests are searched. */
const MAX_SEARCHED = 500

/** Reads the latest requests through a relay, newest first. */
export async function latestRequests(
  transport: CurrentApp["transport"],
  relayId: string,
  signal: AbortSignal,
): Promise<readonly RelayActivity[]> {
  const requests: RelayActivity[] = []
  for await (const request of listRelayActivity(transport, { relayId, limit: 100 }, { signal })) {
    requests.push(request)
    if (requests.length >= MAX_SEARCHED) break
  }
  return requests
}
