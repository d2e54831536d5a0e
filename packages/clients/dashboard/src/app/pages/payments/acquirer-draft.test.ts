import { expect, test } from "vitest"
import { acquirerOf, draftOf, NEW_ACQUIRER, withConfiguration, withNetwork } from "./acquirer-draft.ts"

const VISA = { network: "visa", bin: "400000", acquirerMerchantIdentifier: "123456", country: "ie" } as const

test("a network is added, filled in and removed again", () => {
  const added = withNetwork({ ...NEW_ACQUIRER, name: "Bank" }, "visa", true)
  expect(added.configurations).toEqual([{ ...VISA, bin: "", acquirerMerchantIdentifier: "", country: "" }])
  const filled = withConfiguration(added, VISA)
  expect(acquirerOf(filled, false)).toEqual({ name: "Bank", description: "", configurations: [VISA] })
  expect(withNetwork(filled, "visa", false).configurations).toEqual([])
})

test("a saved acquirer is edited without its states, and its default is sent only when it changes", () => {
  const draft = draftOf({
    id: "acquirer_1",
    name: "Bank",
    default: true,
    createdAt: 1,
    configurations: [{ ...VISA, state: "failed" }],
  })
  expect(acquirerOf(draft, true)).toEqual({ name: "Bank", description: "", configurations: [VISA] })
  expect(acquirerOf({ ...draft, isDefault: false }, true)).toMatchObject({ default: false })
})
