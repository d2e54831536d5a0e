import { createRoute, lazyRouteComponent } from "@tanstack/react-router"
import { appRoute } from "../../routes.tsx"
import { readWebhookSearch, type WebhookSearch } from "./webhook-search.ts"

const webhooksRoute = createRoute({
  getParentRoute: () => appRoute,
  path: "webhooks",
  validateSearch: (search: Record<string, unknown>): WebhookSearch => readWebhookSearch(search),
  component: lazyRouteComponent(() => import("./webhooks.tsx"), "Webhooks"),
})

const webhookEventRoute = createRoute({
  getParentRoute: () => appRoute,
  path: "webhooks/events/$eventId",
  component: lazyRouteComponent(() => import("./event.tsx"), "EventPage"),
})

export const webhookRoutes = [webhooksRoute, webhookEventRoute] as const
