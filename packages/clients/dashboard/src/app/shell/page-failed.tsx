import type { ErrorComponentProps } from "@tanstack/react-router"
import { Problem } from "../components/problem.tsx"

/** What is shown instead of a page that cannot be shown, such as one whose script is of an older version. */
export function PageFailed({ error }: ErrorComponentProps) {
  return (
    <Problem
      error={error instanceof Error ? error : new Error(undefined, { cause: error })}
      onRetry={() => location.reload()}
    />
  )
}
