import { Loader, Stack, Text, Timeline, Title } from "@mantine/core"
import { list3dsMessages, type ThreeDSMessages, type ThreeDSSession } from "@sealway/sdk/api"
import { useQuery } from "@tanstack/react-query"
import { useApp } from "../../api/app.ts"
import { CodeBlock } from "../../components/code-block.tsx"
import { Problem } from "../../components/problem.tsx"
import { Time } from "../../components/time.tsx"

type Message = ThreeDSMessages["messages"][number]

/** What each message of EMV 3-D Secure says, and to whom. */
const MEANINGS: Readonly<Record<Message["type"], string>> = {
  AReq: "Sealway asks the issuer to authenticate the cardholder",
  ARes: "The issuer answers",
  CReq: "The browser opens the issuer's challenge",
  CRes: "The browser brings the end of the challenge, which proves nothing",
  RReq: "The issuer tells the result of the challenge",
  RRes: "Sealway confirms the result",
  Erro: "A message was refused",
}

/** The messages of a session, in the order in which they were exchanged. */
export function SessionMessages({ session }: { readonly session: ThreeDSSession }) {
  const { key, transport } = useApp()
  const messages = useQuery({
    queryKey: [...key, "3ds-sessions", "messages", session.id, session.updatedAt],
    queryFn: ({ signal }) => list3dsMessages(transport, { sessionId: session.id }, { signal }),
    placeholderData: (before) => before,
  })
  return (
    <Stack component="section" gap="md" aria-labelledby="messages">
      <Title order={2} size="h4" id="messages">
        Messages
      </Title>
      {messages.isPending && <Loader aria-label="Loading the messages" />}
      {messages.error && <Problem error={messages.error} onRetry={() => messages.refetch()} />}
      {messages.data?.messages.length === 0 && (
        <Text c="dimmed">None yet: the cardholder has not opened the session in a browser.</Text>
      )}
      {messages.data && messages.data.messages.length > 0 && (
        <Timeline active={messages.data.messages.length} bulletSize={16} role="list">
          {messages.data.messages.map((message, index) => (
            <Timeline.Item key={`${index} ${message.type}`} title={message.type} role="listitem">
              <Text size="sm">
                {MEANINGS[message.type]}
                {statusOf(message)}
              </Text>
              <Text size="sm" component="div">
                <Time at={message.createdAt} />
                {index > 0 && `, ${afterFirst(message, messages.data.messages[0])} after the first`}
              </Text>
              <details>
                <summary>The message</summary>
                <CodeBlock label={`${message.type} message`} code={JSON.stringify(message.data, null, 2)} />
              </details>
            </Timeline.Item>
          ))}
        </Timeline>
      )}
    </Stack>
  )
}

function statusOf({ data }: Message): string {
  return typeof data.transStatus === "string" ? `: ${data.transStatus}` : ""
}

function afterFirst({ createdAt }: Message, first: Message | undefined): string {
  const ms = createdAt - (first?.createdAt ?? createdAt)
  return ms < 1_000 ? `${ms} ms` : `${(ms / 1_000).toFixed(1)} s`
}
