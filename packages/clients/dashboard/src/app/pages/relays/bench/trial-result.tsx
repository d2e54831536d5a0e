import { Alert, List, Stack, Text } from "@mantine/core"
import type { RelayTrial } from "@sealway/sdk/api"
import { CodeBlock } from "../../../components/code-block.tsx"
import type { Direction } from "./draft.ts"

interface TrialResultProps {
  readonly trial: RelayTrial
  readonly direction: Direction
}

/** What the relay would do with a message: pass it on, as shown, or refuse it. */
export function TrialResult({ trial, direction }: TrialResultProps) {
  const message = trial[direction]
  const error = trial.error ?? message?.error ?? null
  const warnings = trial.warnings.filter((each) => each.direction === direction)
  return (
    <Stack gap="sm">
      {error !== null && (
        <Alert color="red" variant="light" title={`Refused with ${error.status} ${error.code}`}>
          {error.detail}
        </Alert>
      )}
      {warnings.length > 0 && (
        <Alert color="yellow" variant="light" title="Look at this">
          <List size="sm">
            {warnings.map(({ code, selector, detail }) => (
              <List.Item key={code + selector}>
                {selector !== null && `${selector}: `}
                {detail}
              </List.Item>
            ))}
          </List>
        </Alert>
      )}
      {message !== null && error === null && (
        <>
          <CodeBlock label={`${direction} as it is passed on`} code={textOf(message, direction)} />
          {!message.bodyChanged && (
            <Text size="sm" c="dimmed">
              The body passes unchanged.
            </Text>
          )}
        </>
      )}
    </Stack>
  )
}

function textOf(
  { path, headers, body, encoding }: NonNullable<RelayTrial["request"]>,
  direction: Direction,
): string {
  const lines = [
    ...(direction === "request" && path !== null ? [path] : []),
    ...headers.map(({ name, value }) => `${name}: ${value}`),
  ]
  const shown = body === null ? "" : encoding === "base64" ? `(base64) ${body}` : body
  return [...lines, ...(lines.length > 0 && shown !== "" ? [""] : []), shown].join("\n").trim()
}
