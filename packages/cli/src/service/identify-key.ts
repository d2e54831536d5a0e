import * as z from "zod"
import type { CliHost } from "../terminal/host.ts"
import { readAnswer } from "./answers.ts"
import type { ServiceUrl } from "./service-address.ts"
import { type Credentials, createServiceClient } from "./service-client.ts"

/** The owner of a key. */
export interface KeyOwner {
  readonly kind: "app" | "team"
  readonly id: string
}

const TEAM_KEY_PREFIX = "swk_team_"
const teamSchema = z.object({ id: z.string() })
const publicKeysSchema = z.object({ appUuid: z.string() })

/**
 * Tests a key with a call that changes nothing and needs no scope.
 *
 * @throws ServiceRefusal `unauthorized` when it is not valid
 */
export async function identifyKey(
  host: CliHost,
  url: ServiceUrl,
  credentials: Credentials,
  timeoutMs: number,
): Promise<KeyOwner> {
  const service = createServiceClient(host, url, credentials, timeoutMs)
  if (credentials.key.startsWith(TEAM_KEY_PREFIX)) {
    const response = await service.send({ method: "GET", path: ["team"] })
    return { kind: "team", id: (await readAnswer(response, teamSchema)).value.id }
  }
  const response = await service.send({ method: "GET", path: ["keys"] })
  return { kind: "app", id: (await readAnswer(response, publicKeysSchema)).value.appUuid }
}
