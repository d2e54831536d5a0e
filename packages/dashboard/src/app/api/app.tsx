import { Center, Loader } from "@mantine/core"
import { type App, listApps, type Transport } from "@sealway/sdk/api"
import { useQuery } from "@tanstack/react-query"
import { createContext, type ReactNode, use, useMemo } from "react"
import { Page } from "../components/page.tsx"
import { Problem } from "../components/problem.tsx"
import { createPageTransport, teamTransport } from "./transport.ts"

/** The app that a page is about, and what sends requests about it. */
export interface CurrentApp {
  readonly app: App
  readonly transport: Transport
  /** Begins the keys of everything that is cached of the app: `[...key, "data-roles"]`. */
  readonly key: readonly ["app", string]
}

const AppContext = createContext<CurrentApp | null>(null)

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

export function AppProvider({ appId, children }: { readonly appId: string; readonly children: ReactNode }) {
  const apps = useApps()
  const app = apps.data?.find(({ id }) => id === appId)
  const current = useMemo(
    (): CurrentApp | null =>
      app === undefined ? null : { app, transport: createPageTransport(app.id), key: ["app", app.id] },
    [app],
  )
  if (apps.isPending) {
    return (
      <Center p="xl">
        <Loader aria-label="Loading" />
      </Center>
    )
  }
  if (apps.error && apps.data === undefined)
    return <Problem error={apps.error} onRetry={() => apps.refetch()} />
  if (current === null) {
    return (
      <Page
        title="There is no such app"
        about="Your team has no app with this id. Choose one in the list above the navigation."
      />
    )
  }
  return <AppContext value={current}>{children}</AppContext>
}
