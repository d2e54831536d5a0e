import {
  Alert,
  Button,
  Group,
  NativeSelect,
  SegmentedControl,
  Stack,
  Text,
  Textarea,
  Title,
} from "@mantine/core"
import { encrypt, listDataRoles } from "@sealway/sdk/api"
import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { useApp } from "../../api/app.ts"
import { CodeBlock } from "../../components/code-block.tsx"
import { Outdated } from "../../components/outdated.tsx"
import { Page } from "../../components/page.tsx"
import { Problem } from "../../components/problem.tsx"
import { useResult } from "../../components/use-result.ts"
import { Decryption } from "./decryption.tsx"
import { Fingerprints } from "./fingerprints.tsx"
import classes from "./playground.module.css"
import { samplesOf } from "./samples.ts"
import { tokensIn } from "./tokens-in.ts"

const EXAMPLE = `{
  "name": "Ada Lovelace",
  "card": "4242424242424242",
  "amount": 12.5
}`

/** Encrypts what is pasted, and shows the same request for programs. Nothing is stored. */
export function Playground() {
  const { app, transport, key } = useApp()
  const [text, setText] = useState(EXAMPLE)
  const [role, setRole] = useState("")
  const [language, setLanguage] = useState("curl")
  const roles = useQuery({
    queryKey: [...key, "usable-roles"],
    queryFn: async ({ signal }) =>
      (await Array.fromAsync(listDataRoles(transport, { limit: 100 }, { signal }))).filter(
        ({ archived }) => !archived,
      ),
  })
  const encrypting = useResult<unknown>({
    input: { text, role },
    ask: () => encrypt(transport, { body: JSON.parse(text), ...(role !== "" && { dataRole: role }) }),
  })
  const sealed = encrypting.data
  const mistake = mistakeIn(text)
  const samples = samplesOf({
    origin: location.origin + API_PATH,
    appId: app.id,
    role: role === "" ? null : role,
    document: text,
  })
  const sample = samples.find(({ label }) => label === language) ?? samples[0]
  return (
    <Page title="Playground" about="Paste JSON and see its tokens. Nothing that you enter is stored.">
      {app.environment === "production" && (
        <Alert color="yellow" title="This is a production app">
          Use a sandbox app for trying things out.
        </Alert>
      )}
      <div className={classes.columns}>
        <Stack gap="md" component="section" aria-label="Your JSON">
          <Textarea
            label="JSON"
            value={text}
            error={mistake ?? undefined}
            onChange={({ currentTarget }) => setText(currentTarget.value)}
            rows={10}
            spellCheck={false}
            autoComplete="off"
            classNames={{ input: classes.code ?? "" }}
          />
          <Group align="flex-end" gap="sm">
            <NativeSelect
              label="Data role"
              value={role}
              onChange={({ currentTarget }) => setRole(currentTarget.value)}
              data={[
                { value: "", label: "None" },
                ...(roles.data ?? []).map(({ slug, name }) => ({ value: slug, label: `${slug}: ${name}` })),
              ]}
            />
            <Button onClick={encrypting.ask} loading={encrypting.isPending} disabled={mistake !== null}>
              Encrypt
            </Button>
          </Group>
          {encrypting.error && <Problem error={encrypting.error} />}
        </Stack>
        <Stack gap="md" component="section" aria-label="Its tokens" aria-live="polite">
          {encrypting.isOutdated ? (
            <Outdated>The JSON or the role has changed since: encrypt again.</Outdated>
          ) : sealed === undefined ? (
            <Text c="dimmed">
              Each string, number and boolean becomes a token of its own; the shape stays, so that the tokens
              fit where the values were.
            </Text>
          ) : (
            <CodeBlock label="tokens" code={JSON.stringify(sealed, null, 2)} />
          )}
        </Stack>
      </div>
      {sealed !== undefined && <Fingerprints tokens={tokensIn(sealed)} />}
      {(sealed !== undefined || encrypting.isOutdated || encrypting.isPending) && (
        <Decryption sealed={sealed} />
      )}
      <Stack gap="sm" component="section" aria-labelledby="samples">
        <Title order={2} size="h4" id="samples">
          The same in your program
        </Title>
        <Group>
          <SegmentedControl
            aria-label="Language"
            value={language}
            onChange={setLanguage}
            data={samples.map(({ label }) => label)}
          />
        </Group>
        {sample && <CodeBlock label={`${sample.label} sample`} code={sample.code} />}
      </Stack>
    </Page>
  )
}

/** Says what is wrong with a JSON text; null when nothing is. The parser's message would quote the text. */
function mistakeIn(text: string): string | null {
  try {
    JSON.parse(text)
    return null
  } catch (error) {
    const place = error instanceof SyntaxError ? /position (\d+)/.exec(error.message)?.[1] : undefined
    if (place === undefined) return "This is not JSON."
    const before = text.slice(0, Number(place)).split("\n")
    return `This is not JSON: look at line ${before.length}, column ${(before.at(-1) ?? "").length + 1}.`
  }
}
