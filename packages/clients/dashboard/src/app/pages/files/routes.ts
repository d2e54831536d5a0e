import { createRoute, lazyRouteComponent } from "@tanstack/react-router"
import { appRoute } from "../../routes.tsx"

const filesRoute = createRoute({
  getParentRoute: () => appRoute,
  path: "files",
  component: lazyRouteComponent(() => import("./files.tsx"), "Files"),
})

const fileRoute = createRoute({
  getParentRoute: () => appRoute,
  path: "files/$fileId",
  component: lazyRouteComponent(() => import("./file.tsx"), "FilePage"),
})

export const fileRoutes = [filesRoute, fileRoute] as const
