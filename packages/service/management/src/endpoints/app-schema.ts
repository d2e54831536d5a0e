import { type App, erasureDaysOf } from "@sealway/accounts"
import * as z from "zod"
import { allowedOriginsSchema } from "../accounts/allowed-origins.ts"
import { limitsSchema, showAppLimits } from "./limits-schema.ts"

export const environmentSchema = z
  .enum(["sandbox", "production"])
  .describe("Cannot be changed: the values of sandbox and production apps never mix")
export const statusSchema = z
  .enum(["enabled", "disabled"])
  .describe("The credentials of a disabled app are refused")
export const cardInsightsSchema = z
  .boolean()
  .describe("Whether a production app may request card insights. Sandbox apps always may")
export const sealingSchema = z
  .enum(["public-key", "symmetric"])
  .describe(
    "How `POST /encrypt` and relays seal new values. `public-key`: to the app's public key, as clients do. `symmetric`: with a secret key, so that values of any age decrypt fast and quantum computers do not help an attacker; the process that encrypts then holds a key that decrypts those values. Both kinds can always be decrypted, and `POST /rewrap` converts one into the other",
  )
export const custodySchema = z
  .enum(["envelope", "hsm"])
  .describe(
    "Where the private keys of the app's new key versions are. `envelope`: encrypted by KMS, and in memory while values are decrypted. `hsm`: only in KMS, as keys for key agreement, which is asked for each ephemeral key; on P-256 only. Tokens are the same",
  )
export const erasureDaysSchema = z
  .int()
  .min(0)
  .max(30)
  .describe(
    "For how many days the erasure of a data subject can be undone. Applies to later erasures. Sandbox apps begin with 0, production apps with 7",
  )
export const appSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    environment: environmentSchema,
    status: statusSchema,
    allowedOrigins: allowedOriginsSchema,
    cardInsights: cardInsightsSchema,
    sealing: sealingSchema,
    custody: custodySchema,
    erasureDays: erasureDaysSchema,
    limits: limitsSchema,
    createdAt: z.int().describe("Epoch milliseconds"),
  })
  .meta({ id: "App" })

export const showApp = (app: App) => ({
  id: app.id,
  name: app.name,
  environment: app.environment,
  status: app.status,
  allowedOrigins: [...app.allowedOrigins],
  cardInsights: app.cardInsights,
  sealing: app.sealing,
  custody: app.custody,
  erasureDays: erasureDaysOf(app),
  limits: showAppLimits(app.limits),
  createdAt: app.createdAt,
})
