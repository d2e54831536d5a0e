import { Text } from "@mantine/core"
import { isUnbounded } from "./unbounded.ts"
import { type PolicyToTell, policyInWords } from "./words.ts"

/** What a policy does, in words: in red if it is for anyone with a key, from anywhere. */
export function PolicyWords({ policy }: { readonly policy: PolicyToTell }) {
  return (
    <Text span size="sm" {...(isUnbounded(policy) && { c: "var(--mantine-color-error)", fw: 600 })}>
      {policyInWords(policy)}
    </Text>
  )
}
