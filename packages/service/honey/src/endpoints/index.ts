import type { Endpoint } from "@sealway/http"
import type { HoneyDependencies } from "../dependencies.ts"
import { createHoneyToken } from "./create-honey-token.ts"
import { deleteHoneyToken, getHoneyToken, listHoneyTokens } from "./honey-tokens.ts"
import { listHoneyTouches } from "./list-honey-touches.ts"

/** Every endpoint of honey tokens. */
export const honeyEndpoints: readonly Endpoint<HoneyDependencies>[] = [
  createHoneyToken,
  listHoneyTokens,
  getHoneyToken,
  deleteHoneyToken,
  listHoneyTouches,
]
