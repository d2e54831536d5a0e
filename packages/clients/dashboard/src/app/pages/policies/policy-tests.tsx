import { Alert, Badge, Button, FileInput, Group, List, Stack, Text, Title } from "@mantine/core"
import type { DataPolicyInput } from "@sealway/sdk/api"
import { type FormEvent, useEffect, useRef, useState } from "react"
import { useApp } from "../../api/app.ts"
import { Outdated } from "../../components/outdated.tsx"
import { Problem } from "../../components/problem.tsx"
import { useResult } from "../../components/use-result.ts"
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
  const running = useResult({
    input: { policies, files: files.map(({ name, size, lastModified }) => [name, size, lastModified]) },
    async ask() {
      const results: PolicyTestResult[] = []
      for (const file of files) {
        if (file.size > MAX_FILE_BYTES) throw new PolicyTestFileError(`${file.name} is larger than 1 MB.`)
        results.push(...(await runPolicyTests(transport, await file.text(), policies, stop.current.signal)))
      }
      return results
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    running.ask()
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
      {running.isOutdated && (
        <Outdated>The policies or the files have changed since: run the tests again.</Outdated>
      )}
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
