import { type Acquirer, createAcquirer, updateAcquirer } from "@sealway/sdk/api"
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { useApp } from "../../api/app.ts"
import { Dialog, DialogForm } from "../../components/form-dialog.tsx"
import { acquirerOf, draftOf, NEW_ACQUIRER } from "./acquirer-draft.ts"
import { AcquirerFields } from "./acquirer-fields.tsx"

interface DialogProps {
  readonly isOpen: boolean
  readonly onClose: () => void
}

/** Creates an acquirer, which enrols it, and leads to it. */
export function CreateAcquirerDialog({ isOpen, onClose }: DialogProps) {
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title="Create an acquirer">
      <CreateAcquirerForm onClose={onClose} />
    </Dialog>
  )
}

interface EditAcquirerDialogProps extends DialogProps {
  readonly acquirer: Acquirer
}

/** Changes an acquirer. What is changed at a network is enrolled again, and so is what has failed. */
export function EditAcquirerDialog({ isOpen, onClose, acquirer }: EditAcquirerDialogProps) {
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title={`Edit ${acquirer.name}`}>
      <EditAcquirerForm onClose={onClose} acquirer={acquirer} />
    </Dialog>
  )
}

function CreateAcquirerForm({ onClose }: Pick<DialogProps, "onClose">) {
  const { app, key, transport } = useApp()
  const client = useQueryClient()
  const navigate = useNavigate()
  const [draft, setDraft] = useState(NEW_ACQUIRER)
  const creating = useMutation({
    mutationFn: () => createAcquirer(transport, { body: acquirerOf(draft, false) }),
    async onSuccess({ id }) {
      await client.invalidateQueries({ queryKey: [...key, "acquirers"], exact: true })
      await navigate({
        to: "/apps/$appId/payments/acquirers/$acquirerId",
        params: { appId: app.id, acquirerId: id },
      })
    },
  })
  return (
    <DialogForm
      change={creating}
      action="Create"
      isIncomplete={draft.configurations.length === 0}
      onCancel={onClose}
    >
      <AcquirerFields draft={draft} onChange={setDraft} />
    </DialogForm>
  )
}

function EditAcquirerForm({ onClose, acquirer }: Omit<EditAcquirerDialogProps, "isOpen">) {
  const { key, transport } = useApp()
  const client = useQueryClient()
  const [draft, setDraft] = useState(() => draftOf(acquirer))
  const saving = useMutation({
    mutationFn: () =>
      updateAcquirer(transport, { acquirerId: acquirer.id, body: acquirerOf(draft, acquirer.default) }),
    async onSuccess() {
      await client.invalidateQueries({ queryKey: [...key, "acquirers"] })
      onClose()
    },
  })
  return (
    <DialogForm
      change={saving}
      action="Save"
      isIncomplete={draft.configurations.length === 0}
      onCancel={onClose}
    >
      <AcquirerFields draft={draft} onChange={setDraft} />
    </DialogForm>
  )
}
