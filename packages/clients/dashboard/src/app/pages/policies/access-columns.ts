import type { RequestsDescription } from "@sealway/sdk/api"

type RequestKind = RequestsDescription["requests"][number]
type PartName = RequestKind["parts"][number]["name"]

/** What each column says of a kind of requests, and what it says when that may be anything. */
const COLUMNS = {
  Through: {
    names: ["source", "relayDestination", "function", "enclave", "pcr0", "pcr1", "pcr2", "pcr8"],
    any: "anything",
  },
  From: { names: ["ip"], any: "anywhere" },
  At: { names: ["weekday", "minute", "time"], any: "any time" },
  With: { names: ["apiKey", "app", "reason"], any: "any key" },
  Sees: { names: ["masked"], any: "full values" },
} as const satisfies Record<string, { readonly names: readonly PartName[]; readonly any: string }>

export type AccessColumn = keyof typeof COLUMNS

export const ACCESS_COLUMNS: readonly AccessColumn[] = ["Through", "From", "At", "With", "Sees"]

/** Returns what a column says of a kind of requests: `from 10.0.0.0/8`, or `anywhere`. */
export function accessCell({ parts }: RequestKind, column: AccessColumn): string {
  const { names, any } = COLUMNS[column]
  const own = parts.filter(({ name }) => names.some((each) => each === name))
  return own.length === 0 ? any : own.map(({ words }) => words).join(", ")
}
