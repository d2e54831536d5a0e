import { Button, Group, Modal, NativeSelect, Stack, Text } from "@mantine/core"
import { type ApiKey, revokeApiKey, rotateApiKey } from "@sealway/sdk/api"
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { useApp } from "../../api/app.tsx"
import { teamTransport } from "../../api/transport.ts"
import { ConfirmDialog } from "../../components/confirm-dialog.tsx"
import { Problem } from "../../components/problem.tsx"
import { SecretOnce } from "../../components/secret-once.tsx"

/** What can be done with a key that works. */
export function KeyActions({ apiKey }: { readonly apiKey: ApiKey }) {
  const { app, key } = useApp()
  const client = useQueryClient()
  const [open, setOpen] = useState<"rotate" | "revoke" | null>(null)
  const close = () => setOpen(null)
  const revoke = async () => {
    await revokeApiKey(teamTransport, { appId: app.id, keyId: apiKey.id })
    await client.invalidateQueries({ queryKey: [...key, "api-keys"] })
  }
  return (
    <Group gap={4}>
      <Button
        size="compact-xs"
        variant="default"
        onClick={() => setOpen("rotate")}
        aria-label={`Rotate ${apiKey.name}`}
      >
        Rotate
      </Button>
      <Button
        size="compact-xs"
        variant="default"
        onClick={() => setOpen("revoke")}
        aria-label={`Revoke ${apiKey.name}`}
      >
        Revoke
      </Button>
      <Modal
        opened={open === "rotate"}
        onClose={close}
        title={`Rotate ${apiKey.name}`}
        closeButtonProps={{ "aria-label": "Close" }}
      >
        {open === "rotate" && <Rotation apiKey={apiKey} onClose={close} />}
      </Modal>
      <ConfirmDialog
        isOpen={open === "revoke"}
        onClose={close}
        title={`Revoke ${apiKey.name}?`}
        action="Revoke"
        nameToType={apiKey.name}
        onConfirm={revoke}
      >
        <Text>
          Within 10 seconds, every request with this key is refused. This cannot be undone; programs that use
          it stop working until they have another one.
        </Text>
      </ConfirmDialog>
    </Group>
  )
}

function Rotation({ apiKey, onClose }: { readonly apiKey: ApiKey; readonly onClose: () => void }) {
  const { app, key } = useApp()
  const client = useQueryClient()
  const [overlapSeconds, setOverlapSeconds] = useState("86400")
  const rotating = useMutation({
    mutationFn: () =>
      rotateApiKey(teamTransport, {
        ...{ appId: app.id, keyId: apiKey.id },
        body: { overlapSeconds: Number(overlapSeconds) },
      }),
    onSuccess: () => client.invalidateQueries({ queryKey: [...key, "api-keys"] }),
  })
  if (rotating.data) return <SecretOnce name="new API key" secret={rotating.data.key} onDone={onClose} />
  return (
    <Stack gap="md">
      <Text>
        A key with the same name, scopes and expiry is created. The old one works until the overlap ends.
      </Text>
      <NativeSelect
        label="The old key works for"
        value={overlapSeconds}
        onChange={({ currentTarget }) => setOverlapSeconds(currentTarget.value)}
        data={[
          { value: "0", label: "No longer" },
          { value: "3600", label: "1 hour" },
          { value: "86400", label: "1 day" },
          { value: "604800", label: "7 days" },
        ]}
      />
      {rotating.error && <Problem error={rotating.error} />}
      <Group justify="flex-end" gap="sm">
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button loading={rotating.isPending} onClick={() => rotating.mutate()}>
          Rotate
        </Button>
      </Group>
    </Stack>
  )
}
