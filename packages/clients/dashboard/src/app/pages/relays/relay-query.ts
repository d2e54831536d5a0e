import { getRelay } from "@sealway/sdk/api"
import { type QueryKey, useQuery } from "@tanstack/react-query"
import { type CurrentApp, useApp } from "../../api/app.ts"

export function relayKey(appKey: CurrentApp["key"], relayId: string): QueryKey {
  return [...appKey, "relays", relayId]
}

/** The relay of a page. */
export function useRelay(relayId: string) {
  const { key, transport } = useApp()
  return useQuery({
    queryKey: relayKey(key, relayId),
    queryFn: ({ signal }) => getRelay(transport, { relayId }, { signal }),
    // Edits must not be overwritten by what another member saves.
    refetchOnWindowFocus: false,
  })
}
