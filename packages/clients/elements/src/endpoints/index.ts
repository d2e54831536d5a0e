import type { Endpoint } from "@sealway/http"
import type { ElementsDependencies } from "../dependencies.ts"
import { getFrameScript } from "./get-frame-script.ts"
import { openFieldFrame } from "./open-field-frame.ts"
import { openRevealFrame } from "./open-reveal-frame.ts"

export const elementEndpoints: readonly Endpoint<ElementsDependencies>[] = [
  openFieldFrame,
  openRevealFrame,
  getFrameScript,
]
