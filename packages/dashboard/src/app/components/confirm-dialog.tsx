import { Button, Group, Modal, Stack, TextInput } from "@mantine/core"
import { useMutation } from "@tanstack/react-query"
import { type FormEvent, type ReactNode, useState } from "react"
import { Problem } from "./problem.tsx"

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
    <Modal opened={isOpen} onClose={onClose} title={title} closeButtonProps={{ "aria-label": "Close" }}>
      {isOpen && <Confirmation {...props} />}
    </Modal>
  )
}

/** Its own component, so that what was typed is gone when the dialog opens again. */
function Confirmation({ onClose, children, action, nameToType, onConfirm }: ConfirmDialogProps) {
  const [typed, setTyped] = useState("")
  const change = useMutation({ mutationFn: onConfirm, onSuccess: onClose })
  const isDestructive = nameToType !== undefined
  const submit = (event: FormEvent) => {
    event.preventDefault()
    change.mutate()
  }
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
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
        {change.error && <Problem error={change.error} />}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button
            type="submit"
            color={isDestructive ? "red" : "blue"}
            loading={change.isPending}
            disabled={isDestructive && typed !== nameToType}
          >
            {action}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
