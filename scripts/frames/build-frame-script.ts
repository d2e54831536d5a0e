import { join } from "node:path"
import { build } from "esbuild"

const ROOT = join(import.meta.dirname, "../..")
const ELEMENTS = join(ROOT, "packages/clients/elements/src")

/** The scripts of frames: what each file in `generated/` exports, and what it is made of. */
export const FRAME_SCRIPTS = [
  { name: "FIELD_SCRIPT", entry: "field-main.ts", file: "field-script.ts" },
  { name: "REVEAL_SCRIPT", entry: "reveal-main.ts", file: "reveal-script.ts" },
  { name: "PAGE_SCRIPT", entry: "page-main.ts", file: "page-script.ts" },
] as const

export const generatedFile = (file: string) => join(ELEMENTS, "generated", file)

/** Bundles the script of a frame, for browsers, in one file. */
export async function buildFrameScript(entry: string): Promise<string> {
  const { outputFiles } = await build({
    absWorkingDir: ROOT,
    entryPoints: [join(ELEMENTS, "frame", entry)],
    bundle: true,
    minify: true,
    write: false,
    format: "iife",
    target: "es2022",
    charset: "ascii",
    platform: "neutral",
    mainFields: ["module"],
    conditions: ["browser", "import"],
    legalComments: "none",
    logLevel: "silent",
  })
  return outputFiles[0]?.text.trim() ?? ""
}

/** Returns the module that the service serves the script from. */
export const moduleOf = (name: string, script: string) =>
  `// Written by npm run generate:frames.\nexport const ${name} =\n  ${JSON.stringify(script)}\n`
