import { Code, Group, Loader, NativeSelect, Stack, Switch, Text, Title } from "@mantine/core"
import { type FunctionLogs, listFunctionLogs, type Transport } from "@sealway/sdk/api"
import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { useApp } from "../../api/app.ts"
import { now } from "../../clock.ts"
import { Problem } from "../../components/problem.tsx"
import { useMay } from "../../session/use-may.ts"
import classes from "./logs.module.css"

const LIVE_MS = 3_000
/** The newest lines that are shown. */
const MAX_LINES = 1_000
const MAX_PAGES = 10
const MINUTE_MS = 60_000

const CLOCK = new Intl.DateTimeFormat(undefined, { timeStyle: "medium" })

/** What a function prints, as it prints it. In production apps, no session gets it. */
export function Logs({ functionName }: { readonly functionName: string }) {
  const may = useMay()
  return (
    <Stack component="section" gap="md" aria-labelledby="logs">
      <Title order={2} size="h4" id="logs">
        Logs
      </Title>
      {may("functionLog:list") ? (
        <Lines functionName={functionName} />
      ) : (
        <Text c="dimmed">
          Logs may contain decrypted values, so that being signed in is not enough in a production app. Read
          them with an API key with the scope functionLog:list:{" "}
          <Code>npx sealway functions logs {functionName}</Code>
        </Text>
      )}
    </Stack>
  )
}

function Lines({ functionName }: { readonly functionName: string }) {
  const { key, transport } = useApp()
  const [minutes, setMinutes] = useState("60")
  const [isLive, setLive] = useState(true)
  const logs = useQuery({
    queryKey: [...key, "functions", functionName, "logs", minutes],
    queryFn: ({ signal }) =>
      newestLines(transport, functionName, now() - Number(minutes) * MINUTE_MS, signal),
    refetchInterval: isLive ? LIVE_MS : false,
    gcTime: 0,
  })
  return (
    <>
      <Group gap="md" align="flex-end">
        <NativeSelect
          label="Since"
          value={minutes}
          onChange={({ currentTarget }) => setMinutes(currentTarget.value)}
          data={[
            { value: "15", label: "15 minutes ago" },
            { value: "60", label: "an hour ago" },
            { value: "1440", label: "a day ago" },
          ]}
        />
        <Switch
          label="Live"
          checked={isLive}
          onChange={({ currentTarget }) => setLive(currentTarget.checked)}
          mb={8}
        />
      </Group>
      {logs.isPending && <Loader aria-label="Loading the logs" />}
      {logs.error && <Problem error={logs.error} onRetry={() => logs.refetch()} />}
      {logs.data?.length === 0 && <Text c="dimmed">The active deployment has printed nothing.</Text>}
      {logs.data !== undefined && logs.data.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        <section tabIndex={0} aria-label="Lines of the logs" className={classes.lines}>
          <Code block>
            {logs.data
              .map(({ at, message }) => `${CLOCK.format(new Date(at))}  ${message.trimEnd()}`)
              .join("\n")}
          </Code>
        </section>
      )}
      <Text size="sm" c="dimmed">
        Logs are not encrypted: a function must not print its payload.
      </Text>
    </>
  )
}

async function newestLines(
  transport: Transport,
  functionName: string,
  since: number,
  signal: AbortSignal,
): Promise<FunctionLogs["data"]> {
  let lines: FunctionLogs["data"] = []
  let after: string | null = null
  for (let page = 0; page < MAX_PAGES; page++) {
    const { data, continueAfter }: FunctionLogs = await listFunctionLogs(
      transport,
      { functionName, since, limit: MAX_LINES, ...(after !== null && { after }) },
      { signal },
    )
    lines = [...lines, ...data].slice(-MAX_LINES)
    after = continueAfter
    if (after === null) break
  }
  return lines
}
