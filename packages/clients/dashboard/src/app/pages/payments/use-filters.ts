import { useDebouncedCallback } from "@mantine/hooks"
import { getRouteApi } from "@tanstack/react-router"
import { type PaymentsSearch, readPaymentsSearch } from "./payments-search.ts"

const route = getRouteApi("/apps/$appId/payments")

/** How long nothing is typed before the list is asked for. */
const PAUSE_MS = 400

/** The filters of the list, which are in the address, and what changes them. */
export function useFilters() {
  const filters = route.useSearch()
  const navigate = route.useNavigate()
  const filter = (changes: Readonly<Partial<Record<keyof PaymentsSearch, string>>>) =>
    void navigate({ search: readPaymentsSearch({ ...filters, ...changes }), replace: true })
  return { filters, filter, filterLater: useDebouncedCallback(filter, PAUSE_MS) }
}
