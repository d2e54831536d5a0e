import { Button, Group, Text } from "@mantine/core"
import { type ApiKey, narrowApiKey, revokeApiKey, rotateApiKey } from "@sealway/sdk/api"
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { useApp } from "../../api/app.ts"
import { teamTransport } from "../../api/transport.ts"
import { ConfirmDialog } from "../../components/confirm-dialog.tsx"
import { Dialog, DialogForm } from "../../components/form-dialog.tsx"
import { LimitFields } from "../../components/limit-fields.tsx"
import { RotationForm } from "../../components/rotation-form.tsx"
import { NarrowKeyForm } from "./narrow-key-form.tsx"

interface KeyActionsProps {
  readonly apiKey: ApiKey
  /** Whether the key works. */
  readonly isUsable: boolean
}

/**
 * What can be done with a key that works. Of one that does not, the dialogs stay: a key that was rotated without an overlap
 * has ended before its successor was stored.
 */
export function KeyActions({ apiKey, isUsable }: KeyActionsProps) {
  const { app, key } = useApp()
  const client = useQueryClient()
  const [open, setOpen] = useState<"narrow" | "limits" | "rotate" | "revoke" | null>(null)
  const close = () => setOpen(null)
  const rotate = async (overlapSeconds: number) => {
    const place = { appId: app.id, keyId: apiKey.id }
    const rotated = await rotateApiKey(teamTransport, { ...place, body: { overlapSeconds } })
    return rotated.key
  }
  const revoke = async () => {
    await revokeApiKey(teamTransport, { appId: app.id, keyId: apiKey.id })
    await client.invalidateQueries({ queryKey: [...key, "api-keys"] })
  }
  return (
    <>
      {isUsable && (
        <Group gap={4}>
          {apiKey.scopes.length > 0 && (
            <Button
              size="compact-xs"
              variant="default"
              onClick={() => setOpen("narrow")}
              aria-label={`Remove scopes of ${apiKey.name}`}
            >
              Scopes
            </Button>
          )}
          <Button
            size="compact-xs"
            variant="default"
            onClick={() => setOpen("limits")}
            aria-label={`Change the limits of ${apiKey.name}`}
          >
            Limits
          </Button>
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
        </Group>
      )}
      <Dialog isOpen={open === "narrow"} onClose={close} title={`Remove scopes of ${apiKey.name}`}>
        <NarrowKeyForm apiKey={apiKey} onClose={close} />
      </Dialog>
      <Dialog isOpen={open === "limits"} onClose={close} title={`Limits of ${apiKey.name}`}>
        <KeyLimitsForm apiKey={apiKey} onClose={close} />
      </Dialog>
      <Dialog isOpen={open === "rotate"} onClose={close} title={`Rotate ${apiKey.name}`}>
        <RotationForm
          noun="key"
          secretName="new API key"
          rotate={rotate}
          queryKey={[...key, "api-keys"]}
          onClose={close}
        >
          A key with the same name, scopes, limits and expiry is created. The old one works until the overlap
          ends.
        </RotationForm>
      </Dialog>
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
    </>
  )
}

interface KeyLimitsFormProps {
  readonly apiKey: ApiKey
  readonly onClose: () => void
}

/** Asks how much a key may do in a time. */
function KeyLimitsForm({ apiKey, onClose }: KeyLimitsFormProps) {
  const { app, key } = useApp()
  const client = useQueryClient()
  const [limits, setLimits] = useState(apiKey.limits)
  const changing = useMutation({
    mutationFn: () => narrowApiKey(teamTransport, { appId: app.id, keyId: apiKey.id, body: { limits } }),
    async onSuccess() {
      await client.invalidateQueries({ queryKey: [...key, "api-keys"] })
      onClose()
    },
  })
  return (
    <DialogForm change={changing} action="Save" onCancel={onClose}>
      <Text>
        The limits apply within 10 seconds. The app has limits of its own, for all its keys together.
      </Text>
      <LimitFields limits={limits} onChange={setLimits} />
    </DialogForm>
  )
}
