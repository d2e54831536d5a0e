import { NotFoundError } from "@sealway/kernel"
import { endpoint } from "@sealway/platform"
import * as z from "zod"
import { SCRIPTS_PATH } from "../pages/frame-page.ts"
import { findScript } from "../pages/scripts.ts"

export const getFrameScript = endpoint({
  id: "get-frame-script",
  method: "GET",
  path: `${SCRIPTS_PATH}/{script}`,
  tag: "Card fields",
  summary: "Get the script of a frame",
  description:
    "The frames load it; its name contains its hash, so browsers keep it for a year. It is sent compressed by gzip.",
  auth: [],
  request: {
    path: z.object({ script: z.string().max(64).describe("Name of the script") }),
    headers: z.object({}),
    body: { kind: "none" },
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
      headers: {
        "cache-control": "public, max-age=31536000, immutable",
        "content-encoding": "gzip",
        "cross-origin-resource-policy": "same-origin",
        "x-content-type-options": "nosniff",
      },
    }
  },
})
