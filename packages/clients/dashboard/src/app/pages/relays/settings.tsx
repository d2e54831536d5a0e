import { Button, Code, Group, NativeSelect, Stack, Switch, Text, Title } from "@mantine/core"
import { deleteRelay, type Relay, updateRelay } from "@sealway/sdk/api"
import { useQueryClient } from "@tanstack/react-query"
import { getRouteApi } from "@tanstack/react-router"
import { type FormEvent, useState } from "react"
import { useApp } from "../../api/app.ts"
import { ChoicesField } from "../../components/choices-field.tsx"
import { ConfirmDialog } from "../../components/confirm-dialog.tsx"
import { Time } from "../../components/time.tsx"
import { useMay } from "../../session/use-may.ts"
import { relayKey } from "./relay-query.ts"

const route = getRouteApi("/apps/$appId/relays/$relayId")

type Settings = Pick<
  Relay,
  | "authentication"
  | "encryptEmptyStrings"
  | "caseSensitiveNames"
  | "unknownContentTypes"
  | "unencryptableErrors"
  | "unmatched"
  | "passContentTypes"
  | "rewriteLocations"
  | "forwardedHeaders"
>

/** The types of files that clients send most. */
const OFTEN_PASSED: Relay["passContentTypes"] = [
  ...(["image/png", "image/jpeg", "image/webp", "image/gif", "image/heic"] as const),
  ...(["application/pdf", "application/zip", "video/mp4", "audio/mpeg"] as const),
  ...(["application/octet-stream", "*"] as const),
]

const FORWARDED_HEADERS = [
  { value: "x-forwarded", label: "in X-Forwarded-Host and X-Forwarded-Proto" },
  { value: "forwarded", label: "in Forwarded (RFC 7239)" },
  { value: "off", label: "not at all" },
] as const

/** How a relay treats all requests, and its deletion. */
export function RelaySettings({ relay }: { readonly relay: Relay }) {
  const { key, transport } = useApp()
  const client = useQueryClient()
  const may = useMay()
  const [settings, setSettings] = useState<Settings>(() => settingsOf(relay))
  const [isSaving, setSaving] = useState(false)
  const changed = changedOf(settingsOf(relay), settings)
  const isReadOnly = !may("relay:update")
  const passable = [...new Set([...OFTEN_PASSED, ...relay.passContentTypes])]
  const review = (event: FormEvent) => {
    event.preventDefault()
    setSaving(true)
  }
  const save = async () => {
    const saved = await updateRelay(transport, { relayId: relay.id, body: settings })
    client.setQueryData(relayKey(key, relay.id), saved)
  }
  return (
    <Stack gap="xl">
      <Stack component="form" onSubmit={review} gap="md" align="flex-start">
        <Switch
          label="Requests need an API key of this app"
          description="In the headers X-Service-Api-Key and X-Service-App-Id. Needed for relays that decrypt"
          checked={settings.authentication === "api-key"}
          onChange={({ currentTarget }) =>
            setSettings({ ...settings, authentication: currentTarget.checked ? "api-key" : null })
          }
          disabled={isReadOnly}
        />
        <Switch
          label="Encrypt empty strings"
          checked={settings.encryptEmptyStrings}
          onChange={({ currentTarget }) =>
            setSettings({ ...settings, encryptEmptyStrings: currentTarget.checked })
          }
          disabled={isReadOnly}
        />
        <Switch
          label="The destination distinguishes names by letter case, _ and -"
          description="If not, a message with a name that could be mistaken for that of an encrypted value is refused"
          checked={settings.caseSensitiveNames}
          onChange={({ currentTarget }) =>
            setSettings({ ...settings, caseSensitiveNames: currentTarget.checked })
          }
          disabled={isReadOnly}
        />
        <NativeSelect
          label="A request whose body must be encrypted, of an unknown content type"
          value={settings.unknownContentTypes}
          onChange={({ currentTarget }) =>
            setSettings({
              ...settings,
              unknownContentTypes: currentTarget.value === "pass" ? "pass" : "refuse",
            })
          }
          data={[
            { value: "refuse", label: "is refused" },
            { value: "pass", label: "passes unchanged" },
          ]}
          disabled={isReadOnly}
        />
        <NativeSelect
          label="A request that no route matches, if the relay encrypts"
          value={settings.unmatched}
          onChange={({ currentTarget }) =>
            setSettings({ ...settings, unmatched: currentTarget.value === "pass" ? "pass" : "refuse" })
          }
          data={[
            { value: "refuse", label: "is refused" },
            { value: "pass", label: "passes unchanged" },
          ]}
          disabled={isReadOnly}
        />
        <ChoicesField
          label="Types of bodies that pass although others are encrypted"
          description="If they begin with what their type begins with; octet-stream and * pass with any content"
          value={settings.passContentTypes}
          onChange={(chosen) =>
            setSettings({ ...settings, passContentTypes: passable.filter((type) => chosen.includes(type)) })
          }
          data={passable}
          disabled={isReadOnly}
        />
        <NativeSelect
          label="An error response whose body must be encrypted but cannot be"
          value={settings.unencryptableErrors}
          onChange={({ currentTarget }) =>
            setSettings({
              ...settings,
              unencryptableErrors: currentTarget.value === "drop-body" ? "drop-body" : "refuse",
            })
          }
          data={[
            { value: "refuse", label: "is refused" },
            { value: "drop-body", label: "passes without its body" },
          ]}
          disabled={isReadOnly}
        />
        <Switch
          label="Redirects of the destination to itself lead to the relay"
          description="If not, clients that follow one send their requests to the destination, unencrypted"
          checked={settings.rewriteLocations}
          onChange={({ currentTarget }) =>
            setSettings({ ...settings, rewriteLocations: currentTarget.checked })
          }
          disabled={isReadOnly}
        />
        <NativeSelect
          label="The destination is told the relay's host and scheme"
          value={settings.forwardedHeaders}
          onChange={({ currentTarget }) => {
            const chosen = FORWARDED_HEADERS.find(({ value }) => value === currentTarget.value)
            if (chosen !== undefined) setSettings({ ...settings, forwardedHeaders: chosen.value })
          }}
          data={[...FORWARDED_HEADERS]}
          disabled={isReadOnly}
        />
        {!isReadOnly && (
          <Button type="submit" disabled={changed.length === 0}>
            Review and save
          </Button>
        )}
      </Stack>
      <ClientCertificate relay={relay} />
      {may("relay:delete") && <DeleteRelay relay={relay} />}
      <ConfirmDialog
        isOpen={isSaving}
        onClose={() => setSaving(false)}
        title="Save the settings?"
        action="Save"
        onConfirm={save}
      >
        {changed.map(({ name, from, to }) => (
          <Text key={name}>
            <Code>{name}</Code>: {from} becomes {to}
          </Text>
        ))}
        <Text mt="sm">Within 10 seconds, this applies to all requests through the relay.</Text>
      </ConfirmDialog>
    </Stack>
  )
}

function settingsOf(relay: Relay): Settings {
  const { authentication, encryptEmptyStrings, caseSensitiveNames } = relay
  const { unknownContentTypes, unencryptableErrors, unmatched, passContentTypes } = relay
  const { rewriteLocations, forwardedHeaders } = relay
  return {
    authentication,
    encryptEmptyStrings,
    caseSensitiveNames,
    unknownContentTypes,
    unencryptableErrors,
    unmatched,
    passContentTypes,
    rewriteLocations,
    forwardedHeaders,
  }
}

function changedOf(before: Settings, after: Settings) {
  const old = new Map(Object.entries(before).map(([name, value]) => [name, shown(value)]))
  return Object.entries(after)
    .filter(([name, value]) => old.get(name) !== shown(value))
    .map(([name, value]) => ({ name, from: old.get(name), to: shown(value) }))
}

function shown(value: Settings[keyof Settings]): string {
  return Array.isArray(value) ? value.join(", ") || "none" : String(value ?? "none")
}

function ClientCertificate({ relay: { clientCertificate } }: { readonly relay: Relay }) {
  return (
    <Stack component="section" gap="sm" aria-labelledby="certificate">
      <Title order={2} size="h4" id="certificate">
        Client certificate
      </Title>
      {clientCertificate === null ? (
        <Text c="dimmed">
          The destination gets none. <Code>sealway relays apply</Code> sets one from files.
        </Text>
      ) : (
        <Text>
          {clientCertificate.subject}, until <Time at={clientCertificate.expiresAt} />. SHA-256{" "}
          <Code>{clientCertificate.fingerprint}</Code>
        </Text>
      )}
    </Stack>
  )
}

function DeleteRelay({ relay }: { readonly relay: Relay }) {
  const { app, key, transport } = useApp()
  const client = useQueryClient()
  const navigate = route.useNavigate()
  const [isDeleting, setDeleting] = useState(false)
  const remove = async () => {
    await deleteRelay(transport, { relayId: relay.id })
    await navigate({ to: "/apps/$appId/relays", params: { appId: app.id } })
    client.removeQueries({ queryKey: relayKey(key, relay.id) })
    await client.invalidateQueries({ queryKey: [...key, "relays"], exact: true })
  }
  return (
    <Group>
      <Button color="red" onClick={() => setDeleting(true)}>
        Delete the relay
      </Button>
      <ConfirmDialog
        isOpen={isDeleting}
        onClose={() => setDeleting(false)}
        title="Delete the relay?"
        action="Delete"
        nameToType={relay.destinationDomain}
        onConfirm={remove}
      >
        <Text>
          Within 10 seconds, every request to {relay.relayDomain} and to its custom domains is refused. This
          cannot be undone. Values that were encrypted can still be decrypted.
        </Text>
      </ConfirmDialog>
    </Group>
  )
}
