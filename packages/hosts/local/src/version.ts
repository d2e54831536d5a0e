import manifest from "../package.json" with { type: "json" }

/** This version of Sealway: `0.2.0`. */
export const VERSION = manifest.version
