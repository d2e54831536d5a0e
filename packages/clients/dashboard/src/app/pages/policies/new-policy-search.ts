/** What a new policy begins with: a role, or the image or the signer of an enclave. */
export interface NewPolicySearch {
  readonly role?: string
  readonly pcr0?: string
  readonly pcr8?: string
}

/** Reads an address. What it does not know is left out. */
export function readNewPolicySearch(search: Readonly<Record<string, unknown>>): NewPolicySearch {
  const { role, pcr0, pcr8 } = search
  return {
    ...(typeof role === "string" && { role }),
    ...(isPcr(pcr0) && { pcr0 }),
    ...(isPcr(pcr8) && { pcr8 }),
  }
}

const isPcr = (text: unknown): text is string => typeof text === "string" && /^[0-9a-f]{96}$/.test(text)
