import { Text } from "@mantine/core"
import { type ApiKey, narrowApiKey } from "@sealway/sdk/api"
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { useApp } from "../../api/app.ts"
import { teamTransport } from "../../api/transport.ts"
import { ChoicesField } from "../../components/choices-field.tsx"
import { DialogForm } from "../../components/form-dialog.tsx"
import { isScope, SCOPE_GROUPS, type Scope } from "./scopes.ts"

interface NarrowKeyFormProps {
  readonly apiKey: ApiKey
  readonly onClose: () => void
}

/** Asks which scopes a key keeps. None can be added: another key is created for more. */
export function NarrowKeyForm({ apiKey, onClose }: NarrowKeyFormProps) {
  const { app, key } = useApp()
  const client = useQueryClient()
  const [kept, setKept] = useState<readonly string[]>(apiKey.scopes)
  const narrowing = useMutation({
    mutationFn: () =>
      narrowApiKey(teamTransport, {
        appId: app.id,
        keyId: apiKey.id,
        body: {
          scopes: kept.filter((scope): scope is Scope => isScope(scope) || apiKey.scopes.includes(scope)),
        },
      }),
    async onSuccess() {
      await client.invalidateQueries({ queryKey: [...key, "api-keys"] })
      onClose()
    },
  })
  const hasAll = apiKey.scopes.includes("*")
  return (
    <DialogForm change={narrowing} action="Save" onCancel={onClose}>
      <Text>
        Within 10 seconds, requests that need another scope are refused, also with tokens that this key has
        issued. Scopes cannot be added again: create another key for more.
      </Text>
      <ChoicesField
        label="Scopes that it keeps"
        description={
          hasAll
            ? "It has every scope (*). Remove * and choose what its program needs"
            : "Without any, it only encrypts"
        }
        data={hasAll ? SCOPE_GROUPS : apiKey.scopes}
        value={kept}
        onChange={setKept}
        clearLabel="Clear the scopes"
        data-autofocus
      />
    </DialogForm>
  )
}
