import { Loader, Stack, Text, Textarea } from "@mantine/core"
import { getDataPolicySchema } from "@sealway/sdk/api"
import { useQuery } from "@tanstack/react-query"
import { useApp } from "../../api/app.ts"
import { CodeBlock } from "../../components/code-block.tsx"

interface CedarFieldProps {
  readonly value: string
  readonly error: string | undefined
  readonly onChange: (value: string) => void
}

/** One policy in the Cedar language. The service checks it while it is typed. */
export function CedarField({ value, error, onChange }: CedarFieldProps) {
  const { transport, key } = useApp()
  const schema = useQuery({
    queryKey: [...key, "cedar-schema"],
    queryFn: ({ signal }) => getDataPolicySchema(transport, {}, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  })
  return (
    <Stack gap="xs">
      <Textarea
        label="Cedar"
        description="One policy with the effect above"
        ff="monospace"
        value={value}
        error={error}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
        rows={12}
        spellCheck={false}
        styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)" } }}
      />
      <details>
        <summary>What a policy can ask about</summary>
        <Text size="sm" c="dimmed" my="xs">
          The Cedar schema. context.clock has the time zones that the policy names.
        </Text>
        {schema.data ? (
          <CodeBlock label="Cedar schema" code={schema.data.schema} />
        ) : (
          <Loader size="sm" aria-label="Loading the schema" />
        )}
      </details>
    </Stack>
  )
}
