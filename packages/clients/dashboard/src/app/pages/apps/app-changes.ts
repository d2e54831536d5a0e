import type { App } from "@sealway/sdk/api"

/** What can be changed about an app in its settings. */
export type AppChanges = Pick<
  App,
  "name" | "allowedOrigins" | "sealing" | "custody" | "erasureDays" | "cardInsights" | "limits"
>

/** Returns the settings that differ from those of the app. */
export function changesOf(app: AppChanges, settings: AppChanges): Partial<AppChanges> {
  const { name, allowedOrigins, sealing, custody, erasureDays, cardInsights, limits } = settings
  return {
    ...(name !== app.name && { name }),
    ...(allowedOrigins.join() !== app.allowedOrigins.join() && { allowedOrigins }),
    ...(sealing !== app.sealing && { sealing }),
    ...(custody !== app.custody && { custody }),
    ...(erasureDays !== app.erasureDays && { erasureDays }),
    ...(cardInsights !== app.cardInsights && { cardInsights }),
    ...(!areSame(limits, app.limits) && { limits }),
  }
}

function areSame(left: App["limits"], right: App["limits"]): boolean {
  return left.requestsPerSecond === right.requestsPerSecond && left.valuesPerSecond === right.valuesPerSecond
}

/** Says what each change does, a sentence for each. */
export function changesInWords(changes: Partial<AppChanges>): readonly string[] {
  const { name, allowedOrigins, sealing, custody, erasureDays, cardInsights, limits } = changes
  return [
    ...(name === undefined ? [] : [`The app is called ${name}.`]),
    ...(allowedOrigins === undefined
      ? []
      : [
          allowedOrigins.length === 0
            ? "No page may embed its frames any more."
            : `Only pages of ${allowedOrigins.join(", ")} may embed its frames.`,
        ]),
    ...(sealing === undefined
      ? []
      : [
          sealing === "symmetric"
            ? "The API and relays encrypt new values with a secret key. Clients of earlier releases cannot read such tokens."
            : "The API and relays encrypt new values to the public key.",
        ]),
    ...(custody === undefined
      ? []
      : [
          custody === "hsm"
            ? "It gets another key version, whose private key is in an HSM. Each decryption of a new value then asks the HSM, which takes longer and costs more."
            : "It gets another key version, whose private key is encrypted by KMS.",
        ]),
    ...(erasureDays === undefined
      ? []
      : [
          erasureDays === 0
            ? "Whoever is erased from now on is erased at once, and cannot be restored."
            : `Whoever is erased from now on can be restored for ${erasureDays} days.`,
        ]),
    ...(cardInsights === undefined
      ? []
      : [cardInsights ? "It may request card insights." : "It may request no more card insights."]),
    ...(limits === undefined
      ? []
      : [
          `All its keys and tokens together may send ${limits.requestsPerSecond} requests and ${limits.valuesPerSecond} values a second.`,
        ]),
  ]
}
