import { TextInput } from "@mantine/core"
import { useMutation } from "@tanstack/react-query"
import { type ReactNode, useState } from "react"
import { Dialog, DialogForm } from "./form-dialog.tsx"

interface ConfirmDialogProps {
  readonly isOpen: boolean
  readonly onClose: () => void
  /** "Delete the role support-agents?" */
  readonly title: string
  /** What will happen, and what cannot be undone. */
  readonly children: ReactNode
  /** The verb of the button: "Delete". */
  readonly action: string
  /** The name to type before something is destroyed. Default: none is asked for. */
  readonly nameToType?: string
  /** Carries it out. The dialog closes when it is done, and shows why when it fails. */
  readonly onConfirm: () => Promise<unknown>
}

/** Says what a change will do before it is made. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { isOpen, onClose, title } = props
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title={title}>
      <Confirmation {...props} />
    </Dialog>
  )
}

function Confirmation({ onClose, children, action, nameToType, onConfirm }: ConfirmDialogProps) {
  const [typed, setTyped] = useState("")
  const change = useMutation({ mutationFn: onConfirm, onSuccess: onClose })
  const isDestructive = nameToType !== undefined
  return (
    <DialogForm
      change={change}
      action={action}
      color={isDestructive ? "red" : "blue"}
      isIncomplete={isDestructive && typed !== nameToType}
      onCancel={onClose}
    >
      <div>{children}</div>
      {isDestructive && (
        <TextInput
          label={`Type ${nameToType} to confirm`}
          value={typed}
          onChange={({ currentTarget }) => setTyped(currentTarget.value)}
          autoComplete="off"
          data-autofocus
        />
      )}
    </DialogForm>
  )
}
