import { endpoint } from "@sealway/http"
import { NotFoundError } from "@sealway/kernel"
import * as z from "zod"
import { SCRIPTS_PATH } from "../pages/frame-page.ts"
import { findScript, pageScript } from "../pages/scripts.ts"

const FOR_FRAMES = {
  "cache-control": "public, max-age=31536000, immutable",
  "cross-origin-resource-policy": "same-origin",
}
const FOR_PAGES = { "cache-control": "public, max-age=300", "cross-origin-resource-policy": "cross-origin" }

export const getFrameScript = endpoint({
  id: "get-frame-script",
  method: "GET",
  path: `${SCRIPTS_PATH}/{script}`,
  tag: "Card fields",
  summary: "Get the script of a frame",
  description:
    "The frames load theirs; its name contains its hash, so browsers keep it for a year. `sealway.js` is the SDK for pages without a bundler, and is kept for five minutes. All are compressed by gzip.",
  auth: [],
  reveals: "nothing",
  request: {
    path: z.object({
      script: z
        .string()
        .regex(/^[A-Za-z0-9._-]{1,64}$/)
        .describe("Name of the script"),
    }),
  },
  status: 200,
  reply: { kind: "document", formats: ["script"], description: "The script" },
  errors: ["not-found"],
  grants: [],
  answer({ path }) {
    const script = findScript(path.script)
    if (script === null) throw new NotFoundError("The script")
    return {
      body: { format: "script", bytes: script.gzipped },
      headers: { ...(script === pageScript ? FOR_PAGES : FOR_FRAMES), "content-encoding": "gzip" },
    }
  },
})
