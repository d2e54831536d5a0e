import { join } from "node:path"
import { build } from "esbuild"
import { ROOT } from "./start.ts"

/**
 * Bundles an example of examples/sdk for a runtime without modules of Node.js, as its readers do.
 *
 * @param variables what becomes of `process.env.NAME` in it
 */
export async function bundleExample(
  file: string,
  format: "esm" | "iife",
  variables: Readonly<Record<string, string>> = {},
): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(ROOT, "examples/sdk", file)],
    bundle: true,
    write: false,
    format,
    platform: "neutral",
    mainFields: [],
    conditions: [],
    define: Object.fromEntries(
      Object.entries(variables).map(([name, value]) => [`process.env.${name}`, JSON.stringify(value)]),
    ),
  })
  return outputFiles[0]?.text ?? ""
}
