import { registerHooks } from "node:module"
import { pathToFileURL } from "node:url"
import {
  buildFrameScript,
  FRAME_SCRIPTS,
  generatedFile,
  moduleOf,
} from "../../scripts/frames/build-frame-script.ts"

/**
 * A setup file of tests: frames run what is bundled from their source, and not the bundle of the last `npm run
 * generate:frames`, so that a test fails with a mistake in the source.
 */
const modules = new Map<string, string>()
for (const { name, entry, file } of FRAME_SCRIPTS) {
  modules.set(pathToFileURL(generatedFile(file)).href, moduleOf(name, await buildFrameScript(entry)))
}

registerHooks({
  load(url, context, next) {
    const source = modules.get(url)
    return source === undefined ? next(url, context) : { format: "module", source, shortCircuit: true }
  },
})
