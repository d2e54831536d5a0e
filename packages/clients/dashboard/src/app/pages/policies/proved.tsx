import { Code, List, Loader, Stack, Text } from "@mantine/core"
import { useDebouncedValue } from "@mantine/hooks"
import type { RequestsDescription, Transport } from "@sealway/sdk/api"
import { ApiError } from "@sealway/sdk/browser"
import { useQuery } from "@tanstack/react-query"
import type { ReactNode } from "react"
import { useApp } from "../../api/app.ts"
import { Problem } from "../../components/problem.tsx"
import { Time } from "../../components/time.tsx"

/** How long nothing is typed before the service is asked: an answer takes it seconds of work. */
const PAUSE_MS = 1_000

/** What is shown of a question about all requests: its answer, or null while there is none for this very question. */
interface Proof<Answer> {
  readonly answer: Answer | null
  readonly error: Error | null
}

/**
 * Asks the service a question about all requests. An answer belongs to what was asked: while another question is open,
 * no older answer is returned.
 *
 * @param question everything that the answer depends on, as JSON
 */
export function useProof<Answer>(
  name: string,
  question: string,
  ask: (transport: Transport, signal: AbortSignal) => Promise<Answer>,
): Proof<Answer> {
  const { transport, key } = useApp()
  const [asked] = useDebouncedValue(question, PAUSE_MS)
  const { data, error } = useQuery({
    queryKey: [...key, name, question],
    queryFn: ({ signal }) => ask(transport, signal),
    // Until then, the question may be half of one.
    enabled: asked === question,
    staleTime: 60_000,
    gcTime: 60_000,
  })
  return { answer: data ?? null, error }
}

interface ProvedProps<Answer> {
  readonly proof: Proof<Answer>
  /** The command that answers it where the service does not. */
  readonly command: string
  readonly children: (answer: Answer) => ReactNode
}

/** Shows an answer, that it is being looked for, or who else has it. */
export function Proved<Answer>({ proof: { answer, error }, command, children }: ProvedProps<Answer>) {
  if (error instanceof ApiError && error.code === "forbidden") {
    return (
      <Text size="sm" c="dimmed">
        The service in the cloud does not work this out. On your machine, <Code>{command}</Code> does.
      </Text>
    )
  }
  // Its fields are marked where they are typed.
  if (error instanceof ApiError && error.fields.length > 0) return null
  if (error !== null) return <Problem error={error} />
  if (answer !== null) return children(answer)
  return (
    <Text size="sm" c="dimmed" role="status">
      <Loader size="xs" mr="xs" aria-hidden />
      Working it out for all possible requests …
    </Text>
  )
}

/** The sentences below a list of kinds of requests: what it leaves out. */
export function DescriptionNotes({ known, reason, complete, until }: RequestsDescription) {
  if (!known) return <Text size="sm">Not known: {reason}.</Text>
  return (
    <>
      {!complete && <Text size="sm">There are more.</Text>}
      {until !== null && (
        <Text size="sm" c="dimmed">
          For requests before <Time at={until} />, by the rules of time zones now in force.
        </Text>
      )}
    </>
  )
}

/** Kinds of requests, one in each line; nothing when there are none. */
export function RequestList({
  title,
  description,
}: {
  readonly title: string
  readonly description: RequestsDescription
}) {
  if (description.known && description.requests.length === 0) return null
  return (
    <Stack gap={4}>
      <Text size="sm" fw={600}>
        {title}
      </Text>
      {description.requests.length > 0 && (
        <List size="sm" spacing={4}>
          {description.requests.map(({ words }) => (
            <List.Item key={words}>{words}</List.Item>
          ))}
        </List>
      )}
      <DescriptionNotes {...description} />
    </Stack>
  )
}
