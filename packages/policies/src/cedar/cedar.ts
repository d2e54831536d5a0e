import type * as cedarWasm from "@cedar-policy/cedar-wasm/nodejs"

/** What is used of Cedar. */
export type Cedar = Pick<
  typeof cedarWasm,
  | "isAuthorized"
  | "statefulIsAuthorized"
  | "preparsePolicySet"
  | "policyToJson"
  | "policySetTextToParts"
  | "validate"
>

export type LoadCedar = () => Promise<Cedar>

/** Loads Cedar's WebAssembly: tens of milliseconds and a few megabytes, so nobody pays before policies are met. */
export const loadCedar: LoadCedar = () => import("@cedar-policy/cedar-wasm/nodejs")
