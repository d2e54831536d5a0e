import { listDataRoles } from "@sealway/sdk/api"
import { useQuery } from "@tanstack/react-query"
import { useApp } from "./app.ts"

/** The choices of a data role: none, the app's newest 100, and the one that is chosen. */
export function useRoleChoices(chosen: string | null = null) {
  const { key, transport } = useApp()
  const roles = useQuery({
    queryKey: [...key, "data-roles", "choices"],
    queryFn: ({ signal }) => listDataRoles(transport, { limit: 100 }, { signal }).first(),
    staleTime: 60_000,
  })
  const slugs = new Set([...(chosen === null ? [] : [chosen]), ...(roles.data ?? []).map(({ slug }) => slug)])
  return [
    { value: "", label: "No data role" },
    ...[...slugs].sort().map((slug) => ({ value: slug, label: slug })),
  ]
}
