import { createRootRoute, createRoute, Outlet } from "@tanstack/react-router"
import { AppProvider } from "./shell/app-provider.tsx"
import { FirstApp } from "./shell/first-app.tsx"
import { NotFound } from "./shell/not-found.tsx"
import { PageFailed } from "./shell/page-failed.tsx"
import { Shell } from "./shell/shell.tsx"

/** The route of everything. */
export const rootRoute = createRootRoute({
  component: Shell,
  notFoundComponent: NotFound,
  errorComponent: PageFailed,
})

/** `/dashboard` itself, which leads to the home of an app. */
export const indexRoute = createRoute({ getParentRoute: () => rootRoute, path: "/", component: FirstApp })

/** The parent of all pages about an app, which `useApp` returns. */
export const appRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/apps/$appId",
  component: AppPages,
})

/** The parent of all pages about the team. */
export const teamRoute = createRoute({ getParentRoute: () => rootRoute, path: "/team", component: Outlet })

function AppPages() {
  const { appId } = appRoute.useParams()
  return (
    <AppProvider appId={appId} key={appId}>
      <Outlet />
    </AppProvider>
  )
}
