import { NativeSelect, Text, Textarea, TextInput } from "@mantine/core"
import {
  type PreChargebackAlert,
  type PreChargebackAlertAnswer,
  updatePreChargebackAlert,
} from "@sealway/sdk/api"
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { useApp } from "../../api/app.ts"
import { Dialog, DialogForm } from "../../components/form-dialog.tsx"
import { moneyInWords, parseMoney } from "./words.ts"

const OUTCOMES = [
  { value: "refunded", label: "Refunded in full" },
  { value: "partially-refunded", label: "Refunded in part" },
  { value: "not-found", label: "No such transaction" },
  { value: "declined", label: "Not refunded" },
] as const
type Outcome = (typeof OUTCOMES)[number]["value"]

interface AnswerAlertDialogProps {
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly alert: PreChargebackAlert
}

/** Tells a network what was done about a dispute. */
export function AnswerAlertDialog({ isOpen, onClose, alert }: AnswerAlertDialogProps) {
  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      title={`Answer the alert about ${moneyInWords(alert.transaction)}`}
    >
      <AnswerForm onClose={onClose} alert={alert} />
    </Dialog>
  )
}

function AnswerForm({ onClose, alert }: Omit<AnswerAlertDialogProps, "isOpen">) {
  const { key, transport } = useApp()
  const client = useQueryClient()
  const { currency } = alert.transaction
  const [outcome, setOutcome] = useState<Outcome>("refunded")
  const [amount, setAmount] = useState("")
  const [comment, setComment] = useState("")
  const refundedAmount = parseMoney(amount, currency)
  const isPartial = outcome === "partially-refunded"
  const answering = useMutation({
    mutationFn: () =>
      updatePreChargebackAlert(transport, {
        preChargebackAlertId: alert.id,
        body: { ...answerOf(outcome, refundedAmount), ...(comment !== "" && { comment }) },
      }),
    async onSuccess() {
      await client.invalidateQueries({ queryKey: [...key, "alerts"] })
      onClose()
    },
  })
  return (
    <DialogForm
      change={answering}
      action="Answer"
      isIncomplete={isPartial && amount !== "" && refundedAmount === null}
      onCancel={onClose}
    >
      <Text>
        An answer moves no money: refund first. The first answer is final, and is sent to the network.
      </Text>
      <NativeSelect
        label="Outcome"
        value={outcome}
        onChange={({ currentTarget }) =>
          setOutcome(OUTCOMES.find(({ value }) => value === currentTarget.value)?.value ?? outcome)
        }
        data={[...OUTCOMES]}
        data-autofocus
      />
      {isPartial && (
        <TextInput
          label={`Refunded amount in ${currency.toUpperCase()}`}
          value={amount}
          onChange={({ currentTarget }) => setAmount(currentTarget.value)}
          error={amount !== "" && refundedAmount === null && "Not an amount of this currency."}
          required
          inputMode="decimal"
          autoComplete="off"
        />
      )}
      <Textarea
        label="Comment"
        description="For the network; it may be empty"
        value={comment}
        onChange={({ currentTarget }) => setComment(currentTarget.value)}
        maxLength={500}
      />
    </DialogForm>
  )
}

function answerOf(outcome: Outcome, refundedAmount: number | null): PreChargebackAlertAnswer {
  if (outcome !== "partially-refunded") return { outcome }
  // The field requires an amount. The service refuses 0, and says why.
  return { outcome, refundedAmount: refundedAmount ?? 0 }
}
