import { Button, Group, Stack, Text, Title } from "@mantine/core"
import { decrypt } from "@sealway/sdk/api"
import { useMutation } from "@tanstack/react-query"
import { type FormEvent, useEffect, useState } from "react"
import { useApp } from "../../api/app.ts"
import { createKeyTransport } from "../../api/transport.ts"
import { ApiKeyField } from "../../components/api-key-field.tsx"
import { CodeBlock } from "../../components/code-block.tsx"
import { Problem } from "../../components/problem.tsx"

/** How long decrypted values stay on the page. */
const SHOWN_MS = 60_000

interface DecryptionProps {
  /** Undefined while there is nothing to decrypt: only the key is kept. */
  readonly sealed: unknown
}

/**
 * Decrypts with an API key, because no session may. The key is in this component's memory only, and is gone when the page
 * is left; decrypted values disappear after a minute.
 */
export function Decryption({ sealed }: DecryptionProps) {
  const { app } = useApp()
  const [apiKey, setApiKey] = useState("")
  const decrypting = useMutation({
    mutationFn: () => decrypt(createKeyTransport(app.id, apiKey), { body: sealed }),
    meta: { isByKey: true },
  })
  const { data, reset } = decrypting
  // The values of other tokens are hidden.
  useEffect(reset, [sealed])
  useEffect(() => {
    if (data === undefined) return
    const timer = setTimeout(reset, SHOWN_MS)
    return () => clearTimeout(timer)
  }, [data, reset])
  const submit = (event: FormEvent) => {
    event.preventDefault()
    decrypting.mutate()
  }
  return (
    <Stack gap="sm" component="section" aria-labelledby="decryption">
      <Title order={2} size="h4" id="decryption">
        Decrypt them
      </Title>
      <Text c="dimmed">
        Being signed in is not enough: decrypting needs an API key with the scope api:decrypt. The key stays
        in the memory of this page until you leave it, and the values disappear after a minute.
      </Text>
      <form onSubmit={submit}>
        <Group align="flex-end" gap="sm">
          <ApiKeyField value={apiKey} onChange={setApiKey} />
          <Button
            type="submit"
            variant="default"
            loading={decrypting.isPending}
            disabled={apiKey === "" || sealed === undefined}
          >
            Decrypt
          </Button>
          {data !== undefined && (
            <Button variant="default" onClick={() => reset()}>
              Hide the values
            </Button>
          )}
        </Group>
      </form>
      {decrypting.error && <Problem error={decrypting.error} />}
      {data !== undefined && <CodeBlock label="decrypted values" code={JSON.stringify(data, null, 2)} />}
    </Stack>
  )
}
