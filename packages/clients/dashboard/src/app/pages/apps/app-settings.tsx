import {
  Button,
  Group,
  NativeSelect,
  NumberInput,
  Stack,
  Switch,
  TagsInput,
  Text,
  TextInput,
  Title,
} from "@mantine/core"
import { type App, updateApp } from "@sealway/sdk/api"
import { useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { APPS_KEY, useApp } from "../../api/app.ts"
import { teamTransport } from "../../api/transport.ts"
import { ConfirmDialog } from "../../components/confirm-dialog.tsx"
import { LimitFields } from "../../components/limit-fields.tsx"
import { Page } from "../../components/page.tsx"
import { useMayManage } from "../../session/use-may-manage.ts"
import { type AppChanges, changesInWords, changesOf } from "./app-changes.ts"

/** What an app is called, which pages may use it, how it encrypts, and whether it works at all. */
export function AppSettings() {
  const { app } = useApp()
  const mayChange = useMayManage(app.environment)
  return (
    <Page title="Settings" about={`${app.name} is a ${app.environment} app. Its id is ${app.id}.`}>
      {/* Begins again with what was saved. */}
      <SettingsForm key={JSON.stringify(app)} app={app} mayChange={mayChange} />
      {mayChange && <SwitchApp app={app} />}
    </Page>
  )
}

interface SettingsFormProps {
  readonly app: App
  readonly mayChange: boolean
}

function SettingsForm({ app, mayChange }: SettingsFormProps) {
  const client = useQueryClient()
  const [settings, setSettings] = useState<AppChanges>(app)
  const [isSaving, setSaving] = useState(false)
  const change = (changed: Partial<AppChanges>) => setSettings((before) => ({ ...before, ...changed }))
  const changes = changesOf(app, settings)
  const save = async () => {
    await updateApp(teamTransport, { appId: app.id, body: changes })
    await client.invalidateQueries({ queryKey: APPS_KEY })
  }
  return (
    <Stack gap="md" maw="40rem">
      <TextInput
        label="Name"
        value={settings.name}
        onChange={({ currentTarget }) => change({ name: currentTarget.value })}
        maxLength={100}
        disabled={!mayChange}
      />
      <TagsInput
        label="Allowed origins"
        description="Pages of these origins may embed the app's frames and call its API from browsers. Type one, such as https://shop.example.com, then Enter"
        value={[...settings.allowedOrigins]}
        onChange={(allowedOrigins) => change({ allowedOrigins })}
        disabled={!mayChange}
        clearable
        clearButtonProps={{ "aria-label": "Clear the origins" }}
      />
      <NativeSelect
        label="How the API and relays encrypt"
        description="Clients always encrypt with the public key"
        value={settings.sealing}
        onChange={({ currentTarget }) =>
          change({ sealing: currentTarget.value === "symmetric" ? "symmetric" : "public-key" })
        }
        data={[
          { value: "public-key", label: "With the public key" },
          { value: "symmetric", label: "With a secret key, so that values are decrypted faster" },
        ]}
        disabled={!mayChange}
      />
      <NativeSelect
        label="Where private keys of new key versions are"
        value={settings.custody}
        onChange={({ currentTarget }) =>
          change({ custody: currentTarget.value === "hsm" ? "hsm" : "envelope" })
        }
        data={[
          { value: "envelope", label: "In the database, encrypted by KMS" },
          { value: "hsm", label: "In an HSM, which they never leave" },
        ]}
        disabled={!mayChange}
      />
      <NumberInput
        label="Days in which the erasure of a data subject can be undone"
        description="0 to 30. Nothing of the data subject can be decrypted meanwhile"
        value={settings.erasureDays}
        onChange={(erasureDays) => change({ erasureDays: Number(erasureDays) })}
        min={0}
        max={30}
        allowDecimal={false}
        clampBehavior="strict"
        hideControls
        disabled={!mayChange}
      />
      <LimitFields
        limits={settings.limits}
        onChange={(limits) => change({ limits })}
        isDisabled={!mayChange}
      />
      {app.environment === "production" && (
        <Switch
          label="Card insights"
          description="The app may ask what card networks know about a card"
          checked={settings.cardInsights}
          onChange={({ currentTarget }) => change({ cardInsights: currentTarget.checked })}
          disabled={!mayChange}
        />
      )}
      {mayChange && (
        <Group>
          <Button
            disabled={Object.keys(changes).length === 0 || settings.name === ""}
            onClick={() => setSaving(true)}
          >
            Review and save
          </Button>
        </Group>
      )}
      <ConfirmDialog
        isOpen={isSaving}
        onClose={() => setSaving(false)}
        title="Save the settings?"
        action="Save"
        onConfirm={save}
      >
        {changesInWords(changes).map((sentence) => (
          <Text key={sentence}>{sentence}</Text>
        ))}
        <Text mt="sm">They take effect everywhere within 10 seconds.</Text>
      </ConfirmDialog>
    </Stack>
  )
}

/** Disables an app, or enables it again. */
function SwitchApp({ app }: { readonly app: App }) {
  const client = useQueryClient()
  const [isOpen, setOpen] = useState(false)
  const isEnabled = app.status === "enabled"
  const verb = isEnabled ? "Disable" : "Enable"
  const change = async () => {
    await updateApp(teamTransport, { appId: app.id, body: { status: isEnabled ? "disabled" : "enabled" } })
    await client.invalidateQueries({ queryKey: APPS_KEY })
  }
  return (
    <Stack component="section" gap="sm" aria-labelledby="switch">
      <Title order={2} size="h4" id="switch">
        {isEnabled ? "Disable the app" : "The app is disabled"}
      </Title>
      <Text c="dimmed">
        All requests with keys, tokens and relays of a disabled app are refused. Nothing is deleted.
      </Text>
      <Group>
        <Button {...(isEnabled && { color: "red" })} onClick={() => setOpen(true)}>
          {verb} the app
        </Button>
      </Group>
      <ConfirmDialog
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        title={`${verb} ${app.name}?`}
        action={verb}
        onConfirm={change}
        {...(isEnabled && { nameToType: app.name })}
      >
        <Text>
          {isEnabled
            ? "Within 10 seconds, every request of its programs is refused, and none of its values can be decrypted, until you enable it again."
            : "Within 10 seconds, its keys, tokens and relays work again."}
        </Text>
      </ConfirmDialog>
    </Stack>
  )
}
