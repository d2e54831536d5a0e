import {
  type App,
  type Custody,
  createApp as createAppRecord,
  type Environment,
  findApp,
  findAppOfTeam,
  NO_CHOSEN_LIMITS,
  replaceApp,
} from "@sealway/accounts"
import type { Platform } from "@sealway/http"
import { ConflictError, invalidField } from "@sealway/kernel"
import { type AuditAuthor, audited } from "@sealway/records"
import { findForbiddenOrigin } from "./allowed-origins.ts"

export type AppChanges = Partial<
  Pick<App, "name" | "status" | "allowedOrigins" | "cardInsights" | "sealing" | "custody" | "erasureDays">
> & { readonly limits?: Partial<App["limits"]> }

/** What a new app is given. */
export interface NewApp {
  readonly name: string
  readonly environment: Environment
  /** Default: `envelope`. */
  readonly custody?: Custody
}

/** Creates an app of a team, with its first key version. */
export async function createApp(
  {
    configTable,
    keyring,
    audit,
    draws,
    wallClock,
  }: Pick<Platform, "configTable" | "keyring" | "audit" | "draws" | "wallClock">,
  teamId: string,
  { name, environment, custody = "envelope" }: NewApp,
  author: AuditAuthor,
): Promise<App> {
  const createdAt = wallClock()
  const id = draws.newId("app", createdAt)
  const given = { id, teamId, name, environment }
  const app: App = {
    ...given,
    status: "enabled",
    allowedOrigins: [],
    cardInsights: false,
    sealing: "public-key",
    custody,
    erasureDays: null,
    limits: NO_CHOSEN_LIMITS,
    createdAt,
    revision: 1,
  }
  const entry = { ...author, teamId, appId: id, action: "app.create", target: { type: "app", id } }
  return audited(audit, { ...entry, details: { environment, custody } }, async () => {
    // Keys first: once an app can be found, it can be used.
    await keyring.addVersion(app)
    if (!(await createAppRecord(configTable, app))) throw new Error("The new app's id is taken")
    return app
  })
}

/**
 * Renames, disables or enables an app of a team, switches card insights on or off, sets the origins whose pages may call
 * it, how its values are sealed, how long erasures can be undone, what it may do in a time, or where its private keys are. The last adds a key version, unless the newest one is such
 * already: a call that died after that is completed by the next one.
 *
 * @throws NotFoundError when the team has no such app, InvalidRequestError when an app in its environment may not have
 * one of the origins, ConflictError when another call changes it at the same time, it has 100 key versions, or it would
 * be both symmetric and in an HSM
 */
export async function updateApp(
  { configTable, keyring, audit }: Pick<Platform, "configTable" | "keyring" | "audit">,
  teamId: string,
  appId: string,
  changes: AppChanges,
  author: AuditAuthor,
): Promise<App> {
  const app = await findAppOfTeam({ app: (id) => findApp(configTable, id) }, teamId, appId)
  const entry = { ...author, teamId, appId, action: "app.update", target: { type: "app", id: appId } }
  const { status, allowedOrigins, cardInsights, sealing, custody, erasureDays, limits } = changes
  const forbidden = findForbiddenOrigin(allowedOrigins ?? [], app.environment)
  if (forbidden !== -1) {
    const reason = `An origin of a ${app.environment} app must be ${app.environment === "sandbox" ? "https, or http://localhost or http://127.0.0.1 with a port" : "https"}.`
    throw invalidField(`/allowedOrigins/${forbidden}`, reason)
  }
  const details = {
    ...(status !== undefined && { status }),
    ...(allowedOrigins !== undefined && { allowedOrigins: allowedOrigins.join(" ") }),
    ...(cardInsights !== undefined && { cardInsights }),
    ...(sealing !== undefined && { sealing }),
    ...(custody !== undefined && { custody }),
    ...(erasureDays !== undefined && { erasureDays }),
    ...limits,
  }
  const wanted = { ...app, ...changes, limits: { ...app.limits, ...limits } }
  if (wanted.custody === "hsm" && wanted.sealing === "symmetric") {
    throw new ConflictError(
      "Symmetric encryption needs a secret key in the service, which an app whose keys are in an HSM does not have. Set `sealing` to `public-key`, or `custody` to `envelope`.",
    )
  }
  return audited(audit, { ...entry, details }, async () => {
    // Keys first: the app must not claim a custody that its newest key version does not have.
    if (custody !== undefined) await keyring.ensureCustody(wanted)
    const changed = await replaceApp(configTable, wanted)
    if (changed === null) throw new ConflictError("Another request is changing the app. Try again.")
    return changed
  })
}
