import * as z from "zod"

/** What is needed to change the limits of a service's apps. */
export interface LiftedService {
  readonly url: string
  readonly credentials: { readonly teamKey: string; readonly apps: readonly { readonly id: string }[] }
}

const keysSchema = z.object({ data: z.array(z.object({ id: z.string() })) })
const LIMITS = { requestsPerSecond: 1_000_000, valuesPerSecond: 1_000_000_000 }

/** Lets the first apps and their keys do as much as they can, instead of what is allowed by default. */
export async function liftLimits({ url, credentials: { teamKey, apps } }: LiftedService): Promise<void> {
  const call = async (path: string, body?: object) => {
    const response = await fetch(url + path, {
      ...(body && { method: "PATCH", body: JSON.stringify(body) }),
      headers: { "api-key": teamKey, "content-type": "application/json" },
    })
    if (!response.ok) throw new Error(`The limits could not be lifted: ${await response.text()}`)
    return response.json()
  }
  for (const { id } of apps) {
    await call(`/apps/${id}`, { limits: LIMITS })
    const { data } = keysSchema.parse(await call(`/apps/${id}/api-keys`))
    for (const key of data) await call(`/apps/${id}/api-keys/${key.id}`, { limits: LIMITS })
  }
}
