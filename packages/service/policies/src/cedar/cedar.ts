import { createRequire } from "node:module"
import type * as cedarWasm from "@cedar-policy/cedar-wasm/nodejs"

/** The parts of Cedar that are used. */
export type Cedar = Pick<
  typeof cedarWasm,
  | "isAuthorized"
  | "statefulIsAuthorized"
  | "preparsePolicySet"
  | "policyToJson"
  | "policyToText"
  | "formatPolicies"
  | "policySetTextToParts"
  | "validate"
>

export type InstantiateCedar = () => Cedar

const MODULE = "@cedar-policy/cedar-wasm/nodejs"

/**
 * Creates an instance of Cedar's WebAssembly with its own memory. The first one takes tens of milliseconds, so it is
 * created for the first policy; later ones take about five, since V8 shares the compiled code of identical modules.
 *
 * The package instantiates its WebAssembly while its module is evaluated, and offers no other way. So each instance is
 * a new evaluation, which Node.js only performs for a module that is not in its cache.
 */
export const instantiateCedar: InstantiateCedar = () => {
  const require = createRequire(import.meta.url)
  const path = require.resolve(MODULE)
  delete require.cache[path]
  const cedar: Cedar = require(path)
  delete require.cache[path]
  return cedar
}
