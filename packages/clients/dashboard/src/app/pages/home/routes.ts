import { createRoute, lazyRouteComponent } from "@tanstack/react-router"
import { appRoute } from "../../routes.tsx"
import type { Span } from "./span.ts"

export const homeRoute = createRoute({
  getParentRoute: () => appRoute,
  path: "/",
  validateSearch: ({ span }: Record<string, unknown>): { readonly span?: Span } =>
    span === "hour" || span === "month" ? { span } : {},
  component: lazyRouteComponent(() => import("./home.tsx"), "Home"),
})
