import { Checkbox, TagsInput, TextInput } from "@mantine/core"
import { type Merchant, updateMerchant } from "@sealway/sdk/api"
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { useApp } from "../../api/app.ts"
import { Dialog, DialogForm } from "../../components/form-dialog.tsx"
import { majorAmountOf, parseMoney } from "./words.ts"

interface MerchantServicesDialogProps {
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly merchant: Merchant
}

/** Changes what a merchant is enrolled for. */
export function MerchantServicesDialog({ isOpen, onClose, merchant }: MerchantServicesDialogProps) {
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title={`Services of ${merchant.name}`}>
      <ServicesForm onClose={onClose} merchant={merchant} />
    </Dialog>
  )
}

function ServicesForm({ onClose, merchant }: Omit<MerchantServicesDialogProps, "isOpen">) {
  const { key, transport } = useApp()
  const client = useQueryClient()
  const { verifi, ethoca } = merchant.preChargebackAlerts
  const [domains, setDomains] = useState(merchant.applePay.domains.map(({ domain }) => domain))
  const [retries, setRetries] = useState(merchant.intelligentRetries.enabled)
  const [ethocaOn, setEthocaOn] = useState(ethoca.enabled)
  const [verifiOn, setVerifiOn] = useState(verifi.enabled)
  const [currency, setCurrency] = useState(verifi.refundRule?.currency ?? "")
  const [maximum, setMaximum] = useState(verifi.refundRule === null ? "" : maximumOf(verifi.refundRule))
  const maximumAmount = parseMoney(maximum, currency)
  const isWrong = verifiOn && maximum !== "" && currency.length === 3 && maximumAmount === null
  const saving = useMutation({
    mutationFn: () => {
      const refundRule = maximumAmount === null ? null : { maximumAmount, currency }
      return updateMerchant(transport, {
        merchantId: merchant.id,
        body: {
          applePay: { domains },
          intelligentRetries: { enabled: retries },
          preChargebackAlerts: { verifi: { enabled: verifiOn, refundRule }, ethoca: { enabled: ethocaOn } },
        },
      })
    },
    async onSuccess() {
      await client.invalidateQueries({ queryKey: [...key, "merchants"] })
      onClose()
    },
  })
  return (
    <DialogForm change={saving} isIncomplete={isWrong} action="Save" onCancel={onClose}>
      <Checkbox
        label="Alerts of Ethoca, which you answer"
        checked={ethocaOn}
        onChange={({ currentTarget }) => setEthocaOn(currentTarget.checked)}
        data-autofocus
      />
      <Checkbox
        label="Alerts of Verifi, which a rule answers"
        checked={verifiOn}
        onChange={({ currentTarget }) => setVerifiOn(currentTarget.checked)}
      />
      {verifiOn && (
        <>
          <TextInput
            label="Refund disputes up to"
            description="Empty: all of them. Disputes above it, or in another currency, are declined"
            value={maximum}
            onChange={({ currentTarget }) => setMaximum(currentTarget.value)}
            error={isWrong && "Not an amount of this currency."}
            inputMode="decimal"
            autoComplete="off"
          />
          <TextInput
            label="Currency"
            description="ISO 4217, such as eur"
            value={currency}
            onChange={({ currentTarget }) => setCurrency(currentTarget.value)}
            required={maximum !== ""}
            pattern="[A-Za-z]{3}"
            maxLength={3}
          />
        </>
      )}
      <Checkbox
        label="Intelligent retries"
        checked={retries}
        onChange={({ currentTarget }) => setRetries(currentTarget.checked)}
      />
      <TagsInput
        label="Apple Pay domains"
        description="Domains that are removed here are deregistered"
        value={domains}
        onChange={setDomains}
        clearable
        clearButtonProps={{ "aria-label": "Clear the domains" }}
      />
    </DialogForm>
  )
}

const maximumOf = ({ maximumAmount, currency }: NonNullable<RefundRule>): string =>
  majorAmountOf({ amount: maximumAmount, currency })

type RefundRule = Merchant["preChargebackAlerts"]["verifi"]["refundRule"]
