import { createRequire } from "node:module"
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

export type InstantiateCedar = () => Cedar

const MODULE = "@cedar-policy/cedar-wasm/nodejs"

/**
 * Makes an instance of Cedar's WebAssembly with its own memory. The first one takes tens of milliseconds, so it is made
 * when a policy is first met; later ones take about five, since V8 shares the compiled code of equal modules.
 *
 * The package instantiates its WebAssembly while its module is evaluated, and offers no other way: each instance is a
 * new evaluation, which Node.js only makes when its cache of modules does not hold one.
 */
export const instantiateCedar: InstantiateCedar = () => {
  const require = createRequire(import.meta.url)
  const path = require.resolve(MODULE)
  delete require.cache[path]
  const cedar: Cedar = require(path)
  delete require.cache[path]
  return cedar
}
