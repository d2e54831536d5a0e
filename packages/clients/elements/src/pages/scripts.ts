import { FIELD_SCRIPT } from "../generated/field-script.ts"
import { PAGE_SCRIPT } from "../generated/page-script.ts"
import { REVEAL_SCRIPT } from "../generated/reveal-script.ts"
import { frameScript } from "./frame-script.ts"

export const fieldScript = frameScript("field", FIELD_SCRIPT)
export const revealScript = frameScript("reveal", REVEAL_SCRIPT)

/** The SDK for pages without a bundler. They name it without a hash. */
export const pageScript = { ...frameScript("sealway", PAGE_SCRIPT), name: "sealway.js" }

const SCRIPTS = new Map([fieldScript, revealScript, pageScript].map((script) => [script.name, script]))

/** Returns null for a script that this version of the service does not have. */
export const findScript = (name: string) => SCRIPTS.get(name) ?? null
