import { Center, Loader } from "@mantine/core"
import { type ReactNode, useMemo } from "react"
import { AppContext, type CurrentApp, useApps } from "../api/app.ts"
import { createPageTransport } from "../api/transport.ts"
import { Page } from "../components/page.tsx"
import { Problem } from "../components/problem.tsx"

/** Shows what is about one of the team's apps once the app is known. */
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
