import { useApp } from "../api/app.ts"
import { useSession } from "./session.tsx"

/**
 * Returns whether the member's role has a scope in the app of the page. The service decides; this spares refusals.
 *
 * ```tsx
 * const may = useMay()
 * return may("relay:update") && <Button>Save</Button>
 * ```
 */
export function useMay(): (scope: string) => boolean {
  const { app } = useApp()
  const { scopes } = useSession()
  return (scope) => scopes[app.environment].includes(scope)
}
