import { Alert, Button, Group, Stack, Switch, Text, Textarea, Title } from "@mantine/core"
import { type FunctionRun, runFunction, type ScheduledFunctionRun } from "@sealway/sdk/api"
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { type FormEvent, useEffect, useState } from "react"
import { useApp } from "../../api/app.ts"
import { createKeyTransport } from "../../api/transport.ts"
import { now } from "../../clock.ts"
import { ApiKeyField } from "../../components/api-key-field.tsx"
import { CodeBlock } from "../../components/code-block.tsx"
import { Problem } from "../../components/problem.tsx"
import { durationOf, RunStatus } from "./runs.tsx"

/** How long a result stays on the page: it may have decrypted values. */
const SHOWN_MS = 60_000

/**
 * Runs a function with an API key, because no session may: a run uses decrypted values. The key is in this component's
 * memory only.
 */
export function RunFunction({ functionName }: { readonly functionName: string }) {
  const { app, key } = useApp()
  const client = useQueryClient()
  const [apiKey, setApiKey] = useState("")
  const [payload, setPayload] = useState("{}")
  const [isQueued, setQueued] = useState(false)
  const parsed = objectOf(payload)
  const running = useMutation({
    async mutationFn(argument: Readonly<Record<string, unknown>>) {
      const startedAt = now()
      const run = await runFunction(createKeyTransport(app.id, apiKey), {
        functionName,
        body: { payload: argument, async: isQueued },
      })
      return { run, ms: now() - startedAt }
    },
    onSettled: () => client.invalidateQueries({ queryKey: [...key, "functions", functionName] }),
    meta: { isByKey: true },
  })
  const { data, reset } = running
  useEffect(() => {
    if (data === undefined) return
    const timer = setTimeout(reset, SHOWN_MS)
    return () => clearTimeout(timer)
  }, [data, reset])
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (parsed !== null) running.mutate(parsed)
  }
  return (
    <Stack component="section" gap="sm" aria-labelledby="run">
      <Title order={2} size="h4" id="run">
        Run it
      </Title>
      <Text c="dimmed">
        Being signed in is not enough: a run needs an API key with the scope function:run. The key stays in
        the memory of this page until you leave it, and the result disappears after a minute.
      </Text>
      <form onSubmit={submit}>
        <Stack gap="sm">
          <Textarea
            label="Payload"
            description="A JSON object. Its tokens are decrypted for the function, as far as policies permit it"
            value={payload}
            onChange={({ currentTarget }) => setPayload(currentTarget.value)}
            error={parsed === null && "This is not a JSON object."}
            rows={6}
            styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)" } }}
            spellCheck={false}
            autoComplete="off"
          />
          <Group align="flex-end" gap="sm">
            <ApiKeyField value={apiKey} onChange={setApiKey} />
            <Button type="submit" loading={running.isPending} disabled={apiKey === "" || parsed === null}>
              Run
            </Button>
            <Switch
              label="Queue it, and do not wait for the result"
              checked={isQueued}
              onChange={({ currentTarget }) => setQueued(currentTarget.checked)}
              mb={8}
            />
          </Group>
        </Stack>
      </form>
      {running.error && <Problem error={running.error} />}
      {data !== undefined && <Result run={data.run} ms={data.ms} />}
    </Stack>
  )
}

interface ResultProps {
  readonly run: FunctionRun | ScheduledFunctionRun
  /** Until the answer arrived here. */
  readonly ms: number
}

function Result({ run, ms }: ResultProps) {
  if (run.status === "scheduled") {
    return <Alert color="blue">The run is queued. It is listed below; its result goes to the callback.</Alert>
  }
  return (
    <Stack gap="sm" role="status">
      <Text component="div">
        <RunStatus status={run.status} /> after {durationOf(ms)}, including the network
      </Text>
      {run.status === "failure" ? (
        <Alert color="red" variant="light" title={run.error.message}>
          <CodeBlock label="stack of the error" code={run.error.stack} />
        </Alert>
      ) : (
        <CodeBlock label="result" code={JSON.stringify(run.result, null, 2) ?? "undefined"} />
      )}
    </Stack>
  )
}

/** Reads a JSON object; null when the text is none. */
function objectOf(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : null
  } catch {
    return null
  }
}
