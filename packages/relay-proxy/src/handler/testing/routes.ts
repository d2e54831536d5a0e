import type { Action, Route } from "@sealway/relay-engine"

/** An action on what a JSONPath selects. */
export function actionOn(action: Action["action"], selector: string, role: string | null = null): Action {
  return { action, selections: [{ type: "json", selector, role }] }
}

/** A route for every request, which does nothing but what is said. */
export function routeWith(changes: Partial<Route>): Route {
  return { method: null, path: "/**", request: [], response: [], ...changes }
}
