import type { Acquirer, AcquirerInput } from "@sealway/sdk/api"

type Configuration = AcquirerInput["configurations"][number]
export type AcquirerNetwork = Configuration["network"]

export const NETWORK_NAMES: Readonly<Record<AcquirerNetwork, string>> = {
  visa: "Visa",
  mastercard: "Mastercard",
  "american-express": "American Express",
  discover: "Discover",
}
export const ACQUIRER_NETWORKS = ["visa", "mastercard", "american-express", "discover"] as const

/** What is typed about an acquirer. */
export interface AcquirerDraft {
  readonly name: string
  /** It may be empty. */
  readonly description: string
  readonly isDefault: boolean
  /** The networks that it is enrolled with, in any order. */
  readonly configurations: readonly Configuration[]
}

export const NEW_ACQUIRER: AcquirerDraft = { name: "", description: "", isDefault: false, configurations: [] }

export function draftOf({
  name,
  description = "",
  default: isDefault,
  configurations,
}: Acquirer): AcquirerDraft {
  return {
    name,
    description,
    isDefault,
    configurations: configurations.map(({ state: _, ...configuration }) => configuration),
  }
}

/** Adds a network without its details, or removes it with them. */
export function withNetwork(
  draft: AcquirerDraft,
  network: AcquirerNetwork,
  isWanted: boolean,
): AcquirerDraft {
  const others = draft.configurations.filter((each) => each.network !== network)
  const added = { network, bin: "", acquirerMerchantIdentifier: "", country: "" }
  return { ...draft, configurations: isWanted ? [...others, added] : others }
}

/** Changes what is typed for a network that the draft has. */
export function withConfiguration(draft: AcquirerDraft, changed: Configuration): AcquirerDraft {
  const { configurations } = draft
  return {
    ...draft,
    configurations: configurations.map((each) => (each.network === changed.network ? changed : each)),
  }
}

/** Converts a draft to what the service takes. @param wasDefault whether it is the default now: only a change is sent */
export function acquirerOf({ isDefault, ...draft }: AcquirerDraft, wasDefault: boolean): AcquirerInput {
  return { ...draft, ...(isDefault !== wasDefault && { default: isDefault }) }
}
