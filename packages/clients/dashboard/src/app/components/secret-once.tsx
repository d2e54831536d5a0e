import { Alert, Button, Code, Group, Stack, Text } from "@mantine/core"
import { useBlocker } from "@tanstack/react-router"
import { useEffect, useState } from "react"
import { CopyButton } from "./copy-button.tsx"
import { useKeptOpen } from "./form-dialog.tsx"

/** How long a secret stays readable. */
const SHOWN_MS = 15_000

interface SecretOnceProps {
  /** What it is: "API key". */
  readonly name: string
  readonly secret: string
  /** Called when it was stored; the caller forgets it then. */
  readonly onDone: () => void
}

const always = () => true

/**
 * Shows a secret that nobody can see again. It is masked, so that no screenshot and nobody behind the reader sees it by
 * accident, and can be copied without being shown. Its dialog stays open until the secret is stored, and the page asks
 * before it is left.
 */
export function SecretOnce({ name, secret, onDone }: SecretOnceProps) {
  const [isShown, setShown] = useState(false)
  useKeptOpen(true)
  const leaving = useBlocker({ shouldBlockFn: always, withResolver: true })
  useEffect(() => {
    if (!isShown) return
    const timer = setTimeout(() => setShown(false), SHOWN_MS)
    return () => clearTimeout(timer)
  }, [isShown])
  return (
    <Alert color="yellow" title={`Store the ${name} now`}>
      <Stack gap="sm" pb={4}>
        <Text size="sm">It is shown only once, and cannot be read again.</Text>
        <Code block aria-label={isShown ? name : `${name}, hidden`}>
          {isShown ? secret : "•".repeat(32)}
        </Code>
        <Group gap="sm">
          <CopyButton value={secret} label={`Copy the ${name}`} />
          <Button size="compact-xs" variant="default" onClick={() => setShown(!isShown)}>
            {isShown ? "Hide" : "Show for 15 seconds"}
          </Button>
          <Button size="compact-xs" onClick={onDone}>
            I have stored it
          </Button>
        </Group>
        {leaving.status === "blocked" && (
          <Group gap="sm" role="alert">
            <Text size="sm" fw={600}>
              If you leave this page now, the {name} is lost.
            </Text>
            <Button size="compact-xs" variant="default" onClick={leaving.reset}>
              Stay
            </Button>
            <Button size="compact-xs" color="red" onClick={leaving.proceed}>
              Leave without it
            </Button>
          </Group>
        )}
      </Stack>
    </Alert>
  )
}
