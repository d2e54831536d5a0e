import { Text } from "@mantine/core"
import { type ApiKey, narrowApiKey } from "@sealway/sdk/api"
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { useApp } from "../../api/app.ts"
import { teamTransport } from "../../api/transport.ts"
import { DialogForm } from "../../components/form-dialog.tsx"
import { LimitFields } from "../../components/limit-fields.tsx"

interface KeyLimitsFormProps {
  readonly apiKey: ApiKey
  readonly onClose: () => void
}

/** Asks how much a key may do in a time. */
export function KeyLimitsForm({ apiKey, onClose }: KeyLimitsFormProps) {
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
