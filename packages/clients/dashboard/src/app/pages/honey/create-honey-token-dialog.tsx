import { NativeSelect, Text, Textarea, TextInput } from "@mantine/core"
import { createHoneyToken, type HoneyTokenInput } from "@sealway/sdk/api"
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { useApp } from "../../api/app.ts"
import { createKeyTransport } from "../../api/transport.ts"
import { useRoleChoices } from "../../api/use-role-choices.ts"
import { ApiKeyField } from "../../components/api-key-field.tsx"
import { Dialog, DialogForm } from "../../components/form-dialog.tsx"

const CONTENTS = [
  { value: "card-number", label: "A made-up card number" },
  { value: "email", label: "A made-up e-mail address" },
  { value: "string", label: "A made-up text" },
  { value: "number", label: "A made-up number" },
  { value: "value", label: "A text of yours" },
  { value: "like", label: "A value like one of your tokens" },
] as const
type Content = (typeof CONTENTS)[number]["value"]

const ALERT_TYPES = [
  { value: "webhook", label: "The event's data, as JSON" },
  { value: "chat", label: "A text, for a chat tool" },
] as const
type AlertType = (typeof ALERT_TYPES)[number]["value"]

interface CreateHoneyTokenDialogProps {
  readonly isOpen: boolean
  readonly onClose: () => void
}

/** Creates a honey token, and leads to it. */
export function CreateHoneyTokenDialog({ isOpen, onClose }: CreateHoneyTokenDialogProps) {
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title="Create a honey token">
      <CreateHoneyTokenForm onClose={onClose} />
    </Dialog>
  )
}

/** It needs an API key, because a value like a token's is made by opening that token, which no session may. */
function CreateHoneyTokenForm({ onClose }: Pick<CreateHoneyTokenDialogProps, "onClose">) {
  const { app, key } = useApp()
  const client = useQueryClient()
  const navigate = useNavigate()
  const roles = useRoleChoices()
  const [name, setName] = useState("")
  const [content, setContent] = useState<Content>("card-number")
  const [value, setValue] = useState("")
  const [like, setLike] = useState("")
  const [role, setRole] = useState("")
  const [alertUrl, setAlertUrl] = useState("")
  const [alertType, setAlertType] = useState<AlertType>("webhook")
  const [apiKey, setApiKey] = useState("")
  const creating = useMutation({
    mutationFn: () =>
      createHoneyToken(createKeyTransport(app.id, apiKey), {
        body: {
          name,
          ...contentOf(content, value, like),
          ...(content !== "like" && role !== "" && { role }),
          ...(alertUrl !== "" && { alert: { type: alertType, url: alertUrl } }),
        },
      }),
    async onSuccess({ id }) {
      await client.invalidateQueries({ queryKey: [...key, "honey-tokens"], exact: true })
      await navigate({
        to: "/apps/$appId/honey-tokens/$honeyTokenId",
        params: { appId: app.id, honeyTokenId: id },
      })
    },
    meta: { isByKey: true },
  })
  return (
    <DialogForm change={creating} action="Create" isIncomplete={apiKey === ""} onCancel={onClose}>
      <TextInput
        label="Name"
        description="What alerts call it, such as where you put it: Backup of May"
        value={name}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
        required
        maxLength={100}
        data-autofocus
      />
      <NativeSelect
        label="Content"
        description="Nobody ever sees it. Only its type and length count"
        value={content}
        onChange={({ currentTarget }) =>
          setContent(CONTENTS.find((each) => each.value === currentTarget.value)?.value ?? content)
        }
        data={[...CONTENTS]}
      />
      {content === "value" && (
        <TextInput
          label="Text"
          value={value}
          onChange={({ currentTarget }) => setValue(currentTarget.value)}
          required
          autoComplete="off"
        />
      )}
      {content === "like" ? (
        <Textarea
          label="Token"
          description="The honey token has its type, role and length, as if both had been encrypted together"
          value={like}
          onChange={({ currentTarget }) => setLike(currentTarget.value.trim())}
          required
          rows={3}
          spellCheck={false}
          autoComplete="off"
        />
      ) : (
        <NativeSelect
          label="Data role"
          value={role}
          onChange={({ currentTarget }) => setRole(currentTarget.value)}
          data={roles}
        />
      )}
      <TextInput
        label="Alert URL"
        description="Each touch is also posted there. It may be empty: webhook endpoints get the event in any case"
        value={alertUrl}
        onChange={({ currentTarget }) => setAlertUrl(currentTarget.value.trim())}
        autoComplete="off"
        spellCheck={false}
      />
      {alertUrl !== "" && (
        <NativeSelect
          label="What is posted"
          value={alertType}
          onChange={({ currentTarget }) =>
            setAlertType(ALERT_TYPES.find((each) => each.value === currentTarget.value)?.value ?? alertType)
          }
          data={[...ALERT_TYPES]}
        />
      )}
      <Text size="sm" c="dimmed">
        Being signed in is not enough: this needs an API key with the scope honeyToken:create. It is forgotten
        when this dialog closes.
      </Text>
      <ApiKeyField value={apiKey} onChange={setApiKey} />
    </DialogForm>
  )
}

function contentOf(
  content: Content,
  value: string,
  like: string,
): Pick<HoneyTokenInput, "value" | "shape" | "like"> {
  if (content === "value") return { value }
  return content === "like" ? { like } : { shape: content }
}
