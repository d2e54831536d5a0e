import { createHash } from "node:crypto"
import { gzipSync } from "node:zlib"

/** A script of a frame, under an address that contains its hash: what is at an address never changes. */
export interface FrameScript {
  /** The last segment of its path. */
  readonly name: string
  /** As an `integrity` attribute has it. */
  readonly integrity: string
  readonly gzipped: Buffer
}

export function frameScript(name: string, source: string): FrameScript {
  const hash = createHash("sha384").update(source).digest()
  return {
    name: `${name}-${hash.toString("hex").slice(0, 20)}.js`,
    integrity: `sha384-${hash.toString("base64")}`,
    gzipped: gzipSync(source, { level: 9 }),
  }
}
