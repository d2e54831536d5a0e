import { Alert, Button, Code, List, Text } from "@mantine/core"
import { ApiError, SealwayError } from "@sealway/sdk/browser"
import { isSignedOut } from "../api/query-client.ts"

interface ProblemProps {
  readonly error: Error
  /** Tries again what has failed. */
  readonly onRetry?: () => void
}

/** Says what failed: the service's sentence, each wrong field, and the request's id for support. */
export function Problem({ error, onRetry }: ProblemProps) {
  const fields = error instanceof ApiError ? error.fields : []
  const requestId = error instanceof ApiError ? error.requestId : null
  return (
    <Alert color="red" variant="light" title={titleOf(error)} role="alert">
      <Text size="sm">{detailOf(error)}</Text>
      {fields.length > 0 && (
        <List size="sm" mt="xs">
          {fields.map(({ pointer, reason }) => (
            <List.Item key={pointer + reason}>
              {pointer !== "" && <Code>{pointer}</Code>} {reason}
            </List.Item>
          ))}
        </List>
      )}
      {requestId !== null && (
        <Text size="xs" mt="xs" c="dimmed">
          Request {requestId}
        </Text>
      )}
      {onRetry && (
        <Button size="xs" variant="default" mt="sm" onClick={onRetry}>
          Try again
        </Button>
      )}
    </Alert>
  )
}

/** Returns the sentence to show for an error. */
export function detailOf(error: Error): string {
  if (isSignedOut(error))
    return "It is mistyped, revoked, or belongs to another app. The page Keys lists those of this app."
  return error instanceof SealwayError ? error.message : "Something went wrong on this page. Reload it."
}

function titleOf(error: Error): string {
  // Without a session, nothing of a page is shown: only a key that somebody has typed is refused here.
  if (isSignedOut(error)) return "The API key was not accepted"
  if (!(error instanceof ApiError)) return error instanceof SealwayError ? "No answer" : "Error"
  if (error.status === 403) return "Not permitted"
  if (error.status === 404) return "Not found"
  return error.status >= 500 ? "The service failed" : "Not possible"
}
