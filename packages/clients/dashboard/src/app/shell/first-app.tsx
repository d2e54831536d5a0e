import { Loader } from "@mantine/core"
import { Navigate } from "@tanstack/react-router"
import { useApps } from "../api/app.ts"
import { Page } from "../components/page.tsx"
import { Problem } from "../components/problem.tsx"

/** Leads to the home of the first sandbox app, where trying things out harms nothing, or else of any app. */
export function FirstApp() {
  const apps = useApps()
  if (apps.isPending) return <Loader aria-label="Loading" />
  if (apps.error) return <Problem error={apps.error} onRetry={() => apps.refetch()} />
  const oldestFirst = [...apps.data].reverse()
  const first = oldestFirst.find(({ environment }) => environment === "sandbox") ?? oldestFirst[0]
  if (first === undefined) {
    return (
      <Page title="Your team has no app yet" about="Create one: npx sealway apps create NAME --sandbox" />
    )
  }
  return <Navigate to="/apps/$appId" params={{ appId: first.id }} replace />
}
