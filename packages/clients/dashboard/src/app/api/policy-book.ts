import { listDataPolicies, listDataRoles } from "@sealway/sdk/api"
import { useQuery } from "@tanstack/react-query"
import { useApp } from "./app.ts"

/** An app has at most 200 roles and 500 policies: all of them are a few requests. */
const PAGE = 100

/** All data roles and policies of the app, newest first. */
export function usePolicyBook() {
  const { transport, key } = useApp()
  return useQuery({
    queryKey: [...key, "policy-book"],
    async queryFn({ signal }) {
      const [roles, policies] = await Promise.all([
        Array.fromAsync(listDataRoles(transport, { limit: PAGE }, { signal })),
        Array.fromAsync(listDataPolicies(transport, { limit: PAGE }, { signal })),
      ])
      return { roles, policies }
    },
  })
}
