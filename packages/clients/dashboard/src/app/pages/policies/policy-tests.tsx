import { Alert, Badge, Button, FileInput, Group, List, Stack, Text, Title } from "@mantine/core"
import type { DataPolicyInput } from "@sealway/sdk/api"
import { useMutation } from "@tanstack/react-query"
import { type FormEvent, useEffect, useRef, useState } from "react"
import { useApp } from "../../api/app.ts"
import { Problem } from "../../components/problem.tsx"
import { PolicyTestFileError } from "./policy-test-file.ts"
import { type PolicyTestResult, runPolicyTests } from "./run-policy-tests.ts"

const MAX_FILE_BYTES = 1_024 * 1_024

/** Runs files of policy tests against policies before they are saved. @param policies all of the app */
export function PolicyTests({ policies }: { readonly policies: readonly DataPolicyInput[] }) {
  const { transport } = useApp()
  const [files, setFiles] = useState<File[]>([])
  const stop = useRef(new AbortController())
  useEffect(() => {
    const { current } = stop
    return () => current.abort()
  }, [])
  const running = useMutation({
    async mutationFn(chosen: readonly File[]) {
      const results: PolicyTestResult[] = []
      for (const file of chosen) {
        if (file.size > MAX_FILE_BYTES) throw new PolicyTestFileError(`${file.name} is larger than 1 MB.`)
        results.push(...(await runPolicyTests(transport, await file.text(), policies, stop.current.signal)))
      }
      return results
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    running.mutate(files)
  }
  const { error, data } = running
  return (
    <Stack component="section" gap="sm" aria-labelledby="policy-tests">
      <Title order={2} size="h4" id="policy-tests">
        Policy tests
      </Title>
      <form onSubmit={submit}>
        <Group align="flex-end" gap="sm">
          <FileInput
            label="Test files"
            description="As npx sealway policies test reads them"
            placeholder="Choose .policy-test.yaml files"
            value={files}
            onChange={setFiles}
            accept=".yaml,.yml"
            multiple
            flex="1 1 14rem"
          />
          <Button type="submit" variant="default" loading={running.isPending} disabled={files.length === 0}>
            Run the tests
          </Button>
        </Group>
      </form>
      {error instanceof PolicyTestFileError && (
        <Alert color="red" variant="light" role="alert" title="The tests cannot run">
          {error.message}
        </Alert>
      )}
      {error && !(error instanceof PolicyTestFileError) && <Problem error={error} />}
      {data && <Results results={data} />}
    </Stack>
  )
}

function Results({ results }: { readonly results: readonly PolicyTestResult[] }) {
  const failed = results.filter(({ failure }) => failure !== null).length
  return (
    <>
      <Text role="status" fw={600}>
        {results.length - failed} passed, {failed} failed
      </Text>
      <List spacing="xs" listStyleType="none">
        {results.map(({ role, name, failure }, index) => (
          <List.Item key={`${index} ${name}`}>
            <Group gap="xs">
              <Badge variant="light" tt="none" color={failure === null ? "green" : "red"}>
                {failure === null ? "passed" : "failed"}
              </Badge>
              <Text size="sm">
                {role}: {name}
              </Text>
              {failure !== null && (
                <Text size="sm" c="dimmed">
                  {failure}.
                </Text>
              )}
            </Group>
          </List.Item>
        ))}
      </List>
    </>
  )
}
