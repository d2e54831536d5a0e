import { Button, Group, Loader, Stack, Text, Title } from "@mantine/core"
import { notifications } from "@mantine/notifications"
import { getAppKeys, type KeyVersionList, listKeyVersions, rotateKeys } from "@sealway/sdk/api"
import { useQuery, useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { useApp } from "../../api/app.ts"
import { teamTransport } from "../../api/transport.ts"
import { CodeBlock } from "../../components/code-block.tsx"
import { ConfirmDialog } from "../../components/confirm-dialog.tsx"
import { PagedList } from "../../components/paged-list.tsx"
import { Problem } from "../../components/problem.tsx"
import { Time } from "../../components/time.tsx"
import { useSession } from "../../session/session.tsx"
import { useMayManage } from "../../session/use-may-manage.ts"

/** The public key that clients encrypt with, and its rotation. */
export function EncryptionKeys() {
  const { app, key } = useApp()
  const { team } = useSession()
  const client = useQueryClient()
  const mayManage = useMayManage(app.environment)
  const [isRotating, setRotating] = useState(false)
  const queryKey = [...key, "public-keys"]
  const keys = useQuery({
    queryKey,
    queryFn: ({ signal }) => getAppKeys(teamTransport, { teamId: team.id, appId: app.id }, { signal }),
  })
  const rotate = async () => {
    const { version } = await rotateKeys(teamTransport, { appId: app.id })
    notifications.show({ title: "Rotated", message: `New values are encrypted with key version ${version}.` })
    await Promise.all([
      client.invalidateQueries({ queryKey }),
      client.invalidateQueries({ queryKey: [...key, "key-versions"] }),
    ])
  }
  return (
    <Stack component="section" gap="md" aria-labelledby="encryption-keys">
      <Group justify="space-between">
        <Title order={2} size="h4" id="encryption-keys">
          Encryption keys
        </Title>
        {mayManage && (
          <Button variant="default" onClick={() => setRotating(true)}>
            Rotate the encryption keys
          </Button>
        )}
      </Group>
      <Text>
        {app.custody === "hsm"
          ? "The private keys of new key versions are in an HSM, and never leave it."
          : "KMS encrypts the private keys."}{" "}
        {app.sealing === "symmetric"
          ? "The API and relays encrypt with a secret key; clients encrypt with this public key:"
          : "The API, relays and clients encrypt with this public key:"}
      </Text>
      {keys.isPending && <Loader aria-label="Loading the public key" />}
      {keys.error && <Problem error={keys.error} onRetry={() => keys.refetch()} />}
      {keys.data && <CodeBlock label="public key (P-256, compressed, base64)" code={keys.data.ecdhP256Key} />}
      <Text>The first of these versions encrypts new values, and all of them decrypt:</Text>
      <KeyVersions />
      <ConfirmDialog
        isOpen={isRotating}
        onClose={() => setRotating(false)}
        title="Rotate the encryption keys?"
        action="Rotate"
        onConfirm={rotate}
      >
        <Text>
          {app.name} gets another key version. Within 10 seconds, new values are encrypted with it. Older
          values can still be decrypted; POST /rewrap re-encrypts them. Fingerprints do not change.
        </Text>
      </ConfirmDialog>
    </Stack>
  )
}

type KeyVersion = KeyVersionList["data"][number]

/** The key versions of an app, the one that encrypts new values first. */
function KeyVersions() {
  const { app, key } = useApp()
  return (
    <PagedList<KeyVersion>
      label="Key versions"
      queryKey={[...key, "key-versions"]}
      fetchPage={async (_, signal) => ({
        data: (await listKeyVersions(teamTransport, { appId: app.id }, { signal })).data,
        next: null,
      })}
      keyOf={({ version }) => String(version)}
      columns={[
        { header: "Version", cell: ({ version }) => version },
        {
          header: "Private keys",
          cell: ({ custody }) => (custody === "hsm" ? "In an HSM" : "Encrypted by KMS"),
        },
        { header: "Created", cell: ({ createdAt }) => <Time at={createdAt} /> },
      ]}
      empty="The app has no key."
    />
  )
}
