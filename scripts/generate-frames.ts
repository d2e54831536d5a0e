import { writeFileSync } from "node:fs"
import { gzipSync } from "node:zlib"
import { buildFrameScript, FRAME_SCRIPTS, generatedFile, moduleOf } from "./frames/build-frame-script.ts"

for (const { name, entry, file } of FRAME_SCRIPTS) {
  const script = await buildFrameScript(entry)
  writeFileSync(generatedFile(file), moduleOf(name, script))
  console.log(`${file}: ${script.length} bytes, ${gzipSync(script, { level: 9 }).length} compressed`)
}
