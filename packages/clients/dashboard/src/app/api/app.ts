import { type App, listApps, type Transport } from "@sealway/sdk/api"
import { useQuery } from "@tanstack/react-query"
import { createContext, use } from "react"
import { teamTransport } from "./transport.ts"

/** The app that a page is about, and what sends requests about it. */
export interface CurrentApp {
  readonly app: App
  readonly transport: Transport
  /** Begins the keys of everything that is cached of the app: `[...key, "data-roles"]`. */
  readonly key: readonly ["app", string]
}

export const AppContext = createContext<CurrentApp | null>(null)

/** The app in the page's address. For pages below `/apps/$appId`. */
export function useApp(): CurrentApp {
  const current = use(AppContext)
  if (current === null) throw new TypeError("The page is not about an app")
  return current
}

export const APPS_KEY = ["team", "apps"] as const

/** The apps of the team, newest first. The switcher has no more than these; `Keys` lists all of them. */
export function useApps() {
  return useQuery({
    queryKey: APPS_KEY,
    queryFn: ({ signal }) => listApps(teamTransport, { limit: 100 }, { signal }).first(),
    staleTime: 60_000,
  })
}
