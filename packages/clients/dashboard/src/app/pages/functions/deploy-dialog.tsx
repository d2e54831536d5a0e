import { FileInput, NativeSelect, NumberInput, Text, TextInput } from "@mantine/core"
import { type Function as DeployedFunction, deployFunction } from "@sealway/sdk/api"
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { useApp } from "../../api/app.ts"
import { Dialog, DialogForm } from "../../components/form-dialog.tsx"

const LANGUAGES = ["node@24", "node@22", "python@3.13", "python@3.12"] as const
type Language = (typeof LANGUAGES)[number]

const MB = 1_024 * 1_024
const MAX_ZIP_BYTES = 3 * MB

interface DeployDialogProps {
  readonly isOpen: boolean
  readonly onClose: () => void
  /** The function that gets another deployment; null for a new one. */
  readonly deployed: DeployedFunction | null
}

/** Deploys a zip, and leads to the function, which shows when it is ready. */
export function DeployDialog({ isOpen, onClose, deployed }: DeployDialogProps) {
  const title = deployed === null ? "Deploy a function" : `Deploy ${deployed.name} again`
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title={title}>
      <DeployForm onClose={onClose} deployed={deployed} />
    </Dialog>
  )
}

function DeployForm({ onClose, deployed }: Omit<DeployDialogProps, "isOpen">) {
  const { app, key, transport } = useApp()
  const client = useQueryClient()
  const navigate = useNavigate()
  const [zip, setZip] = useState<File | null>(null)
  const [name, setName] = useState(deployed?.name ?? "")
  const [language, setLanguage] = useState<Language>(
    LANGUAGES.find((each) => each === deployed?.language) ?? "node@24",
  )
  const [handler, setHandler] = useState(deployed?.handler ?? "index.mjs")
  const [timeoutSeconds, setTimeoutSeconds] = useState<number | string>(deployed?.timeoutSeconds ?? 30)
  const [memoryMb, setMemoryMb] = useState<number | string>(deployed?.memoryMb ?? 256)
  const [callbackUrl, setCallbackUrl] = useState(deployed?.callbackUrl ?? "")
  const isTooLarge = zip !== null && zip.size > MAX_ZIP_BYTES
  const deploying = useMutation({
    async mutationFn(file: File) {
      const settings = { timeoutSeconds: Number(timeoutSeconds), memoryMb: Number(memoryMb) }
      const code = await base64Of(file)
      const url = callbackUrl === "" ? null : callbackUrl
      return deployFunction(transport, {
        body: { name, language, handler, ...settings, callbackUrl: url, code },
      })
    },
    async onSuccess() {
      await client.invalidateQueries({ queryKey: [...key, "functions"] })
      onClose()
      await navigate({
        to: "/apps/$appId/functions/$functionName",
        params: { appId: app.id, functionName: name },
      })
    },
  })
  return (
    <DialogForm
      change={{ ...deploying, mutate: () => zip !== null && deploying.mutate(zip) }}
      action="Deploy"
      isIncomplete={isTooLarge}
      onCancel={onClose}
    >
      <Text>
        {deployed === null || deployed.activeDeployment === null
          ? "It serves once the deployment is ready, usually within a minute."
          : `Deployment ${deployed.activeDeployment} serves until the new one is ready, and goes on if it fails.`}
      </Text>
      <FileInput
        label="Zip"
        description="The function's files and its dependencies, up to 3 MB"
        placeholder="Choose a file"
        value={zip}
        onChange={setZip}
        error={isTooLarge && "The zip is larger than 3 MB."}
        accept=".zip,application/zip"
        required
        data-autofocus
      />
      <TextInput
        label="Name"
        description="Up to 60 lower-case letters, digits and dashes"
        value={name}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
        readOnly={deployed !== null}
        required
        maxLength={60}
        autoComplete="off"
        spellCheck={false}
      />
      <NativeSelect
        label="Language"
        value={language}
        onChange={({ currentTarget }) =>
          setLanguage(LANGUAGES.find((each) => each === currentTarget.value) ?? language)
        }
        data={LANGUAGES}
      />
      <TextInput
        label="Handler"
        description="The file in the zip that exports handler"
        value={handler}
        onChange={({ currentTarget }) => setHandler(currentTarget.value)}
        required
        maxLength={200}
        autoComplete="off"
        spellCheck={false}
      />
      <NumberInput
        label="Time limit in seconds"
        value={timeoutSeconds}
        onChange={setTimeoutSeconds}
        min={1}
        max={900}
        allowDecimal={false}
        required
      />
      <NumberInput
        label="Memory in MB"
        value={memoryMb}
        onChange={setMemoryMb}
        min={128}
        max={3_008}
        allowDecimal={false}
        required
      />
      <TextInput
        label="Callback URL"
        description="Gets a signed POST when an asynchronous run has ended; it may be empty"
        value={callbackUrl}
        onChange={({ currentTarget }) => setCallbackUrl(currentTarget.value)}
        autoComplete="off"
        spellCheck={false}
      />
    </DialogForm>
  )
}

/** Returns the bytes of a file in base64 (RFC 4648, section 4). Not all browsers have `Uint8Array.prototype.toBase64` yet. */
function base64Of(file: Blob): Promise<string> {
  const reader = new FileReader()
  return new Promise((resolve, reject) => {
    reader.onerror = () => reject(reader.error ?? new Error("The file cannot be read"))
    reader.onload = () => {
      const url = String(reader.result)
      resolve(url.slice(url.indexOf(",") + 1))
    }
    reader.readAsDataURL(file)
  })
}
