import { Stack, TextInput } from "@mantine/core"
import { createEnclave } from "@sealway/sdk/api"
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { useApp } from "../../api/app.ts"
import { Dialog, DialogForm } from "../../components/form-dialog.tsx"
import { PCRS, type Pcrs } from "./measurements.ts"

interface RegisterEnclaveDialogProps {
  readonly isOpen: boolean
  readonly onClose: () => void
}

/** Registers an image, and leads to what it may decrypt. */
export function RegisterEnclaveDialog({ isOpen, onClose }: RegisterEnclaveDialogProps) {
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title="Register an image">
      <RegisterEnclaveForm onClose={onClose} />
    </Dialog>
  )
}

function RegisterEnclaveForm({ onClose }: Pick<RegisterEnclaveDialogProps, "onClose">) {
  const { app, key, transport } = useApp()
  const client = useQueryClient()
  const navigate = useNavigate()
  const [name, setName] = useState("")
  const [pcrs, setPcrs] = useState<Pcrs>({})
  const creating = useMutation({
    mutationFn: () => createEnclave(transport, { body: { name, pcrs } }),
    async onSuccess({ id }) {
      await client.invalidateQueries({ queryKey: [...key, "enclaves"], exact: true })
      await navigate({ to: "/apps/$appId/enclaves/$enclaveId", params: { appId: app.id, enclaveId: id } })
    },
  })
  const type = (pcr: keyof Pcrs, text: string) => {
    const { [pcr]: _before, ...others } = pcrs
    setPcrs(text === "" ? others : { ...others, [pcr]: text })
  }
  const [image, signer, kernel, application] = PCRS
  const fieldOf = ({ name, measures }: (typeof PCRS)[number]) => (
    <TextInput
      key={name}
      label={name.toUpperCase()}
      description={`Measures ${measures}`}
      placeholder="96 hexadecimal digits"
      value={pcrs[name] ?? ""}
      onChange={({ currentTarget }) => type(name, currentTarget.value.trim().toLowerCase())}
      pattern="[0-9a-f]{96}"
      title="96 hexadecimal digits"
      autoComplete="off"
      spellCheck={false}
    />
  )
  return (
    <DialogForm
      change={creating}
      action="Register"
      isIncomplete={pcrs.pcr0 === undefined && pcrs.pcr8 === undefined}
      onCancel={onClose}
    >
      <TextInput
        label="Name"
        description="For people, such as Checkout 1.4"
        value={name}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
        required
        maxLength={100}
        data-autofocus
      />
      {fieldOf(image)}
      {fieldOf(signer)}
      <details>
        <summary>More measurements</summary>
        <Stack gap="md" mt="sm">
          {fieldOf(kernel)}
          {fieldOf(application)}
        </Stack>
      </details>
    </DialogForm>
  )
}
